#!/bin/sh
# A month of the ensemble: how heat spreads, from where the month before has left it.
#
#   month.sh PREVIOUS FOLDER     the folder of the month before, empty for the first; and its own
set -eu
from=${1:+$1/state}
if [ -z "$from" ]; then
  from=$2/start
  heat start "$from"
fi
heat step "$from" "$2/state"
