// Lists of nodes as Slurm writes them.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "batch/slurm/slurm_text.hpp"

namespace dovetail::batch::slurm {
namespace {

using Names = std::vector<std::string>;

TEST(SlurmNodeList, IsExpanded) {
  EXPECT_EQ(parse_node_list("n[1-3,7],login"), (Names{"n1", "n2", "n3", "n7", "login"}));
  EXPECT_EQ(parse_node_list("n[008-010]"), (Names{"n008", "n009", "n010"}));
  EXPECT_EQ(parse_node_list("r[1-2]n[1-2]-ib"),
            (Names{"r1n1-ib", "r1n2-ib", "r2n1-ib", "r2n2-ib"}));
  EXPECT_EQ(parse_node_list("ip-10-3-0-193"), (Names{"ip-10-3-0-193"}));
  EXPECT_EQ(parse_node_list(""), Names{});
  EXPECT_EQ(parse_node_list("(null)"), Names{});
}

TEST(SlurmNodeList, OthersAreNoLists) {
  for (const char* text : {",", "n1,", ",n1", "n[", "n[]", "n[1", "n[1-]", "n[-1]", "n[3-1]", "n]1",
                           "n[1,]", "n[a]", "n[1-2-3]", "n[[1]]", "a b", "(n1)", "n[1-999999999]",
                           "n[1-999]m[1-999]k[1-999]", "n[99999999999999999999]"}) {
    EXPECT_EQ(parse_node_list(text), std::nullopt) << text;
  }
}

TEST(SlurmNodeList, IsWrittenShort) {
  EXPECT_EQ(format_node_list({"n7", "n2", "n3", "n1", "login", "n1"}), "n[1-3,7],login");
  EXPECT_EQ(format_node_list({"n8", "n9", "n10", "n11"}), "n[8-11]");
  EXPECT_EQ(format_node_list({"n08", "n09", "n10", "n11"}), "n[08-11]");
  EXPECT_EQ(format_node_list({"n99", "n099", "n100"}), "n[99,099-100]");
  EXPECT_EQ(format_node_list({"n5"}), "n5");
  EXPECT_EQ(format_node_list({"n", "n1", "n2"}), "n,n[1-2]");
  EXPECT_EQ(format_node_list({"7", "8"}), "[7-8]");
  EXPECT_EQ(format_node_list({}), "");
}

TEST(SlurmNodeList, WhatIsWrittenIsReadAsTheSame) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    std::set<std::string> names;
    const unsigned count = random() % 40;
    for (unsigned at = 0; at < count; ++at) {
      const std::string prefix = std::vector<std::string>{"n", "gpu-", "r1n", ""}[random() % 4];
      std::string number = std::to_string(random() % 130);
      if (random() % 3 == 0) number.insert(0, random() % 3, '0');
      names.insert(prefix + number);
      if (random() % 10 == 0) names.insert("login");
    }
    const std::string text = format_node_list({names.begin(), names.end()});
    const auto read = parse_node_list(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(read->size(), names.size()) << text;
    EXPECT_EQ(std::set<std::string>(read->begin(), read->end()), names) << text;
  }
}

}  // namespace
}  // namespace dovetail::batch::slurm
