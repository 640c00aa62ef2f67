#!/bin/sh
# The steps of a parameter scan: does a population that grows by a given rate settle?
#
#   scan.sh prepare     out/ with the growth rates to try; the fourth is forgotten
#   scan.sh member N    the logistic map x -> rate x (1 - x) at rate N, into out/result_N
#   scan.sh collect     all results as one table
set -eu

fail() {
  echo "scan.sh: $*" >&2
  exit 1
}

prepare() {
  rm -rf out
  mkdir out
  echo 2.80 >out/rate_1
  echo 3.20 >out/rate_2
  echo 3.50 >out/rate_3
  echo 3.83 >out/rate_5
  echo 3.95 >out/rate_6
}

member() {
  [ -e "out/rate_$1" ] || fail "out/rate_$1 is missing; write a growth rate from 0 to 4 into it"
  # The mean of log |derivative| says how fast two close populations part: below 0 they come together.
  awk '
    { rate = $1 }
    END {
      x = 0.3
      steps = 1000000
      for (i = 0; i < steps; ++i) {
        x = rate * x * (1 - x)
        slope = rate * (1 - 2 * x)
        sum += log(slope < 0 ? -slope : slope)
      }
      printf "%.2f  %6.3f  %s\n", rate, sum / steps, sum < 0 ? "settles" : "is chaotic"
    }' "out/rate_$1" >"out/result_$1.part"
  mv "out/result_$1.part" "out/result_$1"
}

collect() {
  echo "rate  exponent"
  cat out/result_1 out/result_2 out/result_3 out/result_4 out/result_5 out/result_6
}

case ${1-} in
prepare | collect) "$1" ;;
member) member "$2" ;;
*) fail "expected prepare, member N or collect" ;;
esac
