// The six tasks on a batch system: the program's own `-c slurm`, with commands called sbatch,
// squeue and so on that start jobs at once as processes of this machine.
#pragma once

#include <sys/stat.h>

#include "support/system/run_scene.hpp"

namespace dovetail::testing {

class BatchScene : public RunScene {
 public:
  using RunScene::RunScene;

  void prepare() override {
    RunScene::prepare();
    std::filesystem::create_directories(file("jobs"));
    std::filesystem::create_directories(file("bin"));
    for (const auto& [name, text] : commands()) {
      put(file("bin/" + name), "#!/bin/sh\njobs=" + file("jobs") + "\n" + text);
      chmod(file("bin/" + name).c_str(), 0755);
    }
  }

  Words command() const override { return {DOVETAIL_PROGRAM, "run", "flow.yaml", "-c", "slurm"}; }

  Variables variables() const override {
    Variables all = RunScene::variables();
    all.emplace_back("PATH", file("bin") + ":/usr/bin:/bin");
    all.emplace_back("DOVETAIL_SLURM_POLL", "0.5");
    return all;
  }

 private:
  // A job is a folder: its script, its process, and `over` when that has ended.
  static std::map<std::string, std::string> commands() {
    return {
        {"sbatch",
         "for script; do :; done\n"
         "id=1; until mkdir $jobs/$id 2> /dev/null; do id=$((id + 1)); done\n"
         "job=$jobs/$id\n"
         "sed -n 's/^#SBATCH --job-name=//p' \"$script\" > $job/name\n"
         "date +%s > $job/start\n"
         "SLURM_JOB_ID=$id SLURM_JOB_NODELIST=n1 SLURMD_NODENAME=n1 setsid sh -c '\n"
         "  echo $$ > '$job'/process; sh \"$0\"; echo $? > '$job'/over' \"$script\" \\\n"
         "  > $job/out 2>&1 < /dev/null &\n"
         "until test -s $job/process; do sleep 0.01; done\n"
         "echo $id\n"},
        {"squeue",
         "for format; do :; done\n"
         "mark=${format#--format=}; mark=${mark%%|*}\n"
         "for job in $jobs/*; do\n"
         "  test -s $job/process || continue\n"
         "  state=RUNNING; test -e $job/over && state=COMPLETED\n"
         "  echo \"$mark|${job##*/}|$state|$(id -un)|main|(null)|1|2|n1|1:00|1|$(cat $job/start)|"
         "$(cat $job/start)|N/A|(null)|(null)|None|$(cat $job/name)\"\n"
         "done\n"},
        {"sinfo", "printf 'n1|2|idle\\nn2|2|idle\\n'\n"},
        {"scontrol",
         "case \"$*\" in\n"
         "*partition) echo PartitionName=main Default=YES State=UP Nodes='n[1-2]' "
         "MaxTime=UNLIMITED MinNodes=1 MaxNodes=UNLIMITED;;\n"
         "*reservation) echo No reservations in the system;;\n"
         "*) echo AccountingStorageType = accounting_storage/none;;\n"
         "esac\n"},
        {"scancel",
         "for job; do test -s $jobs/$job/process && kill -TERM -$(cat $jobs/$job/process); done\n"
         "exit 0\n"},
        {"sacct", "echo accounting is disabled >&2; exit 1\n"},
        {"srun",
         "while case \"$1\" in -*) true;; *) false;; esac; do shift; done\n"
         "exec \"$@\" < /dev/null\n"},
    };
  }
};

}  // namespace dovetail::testing
