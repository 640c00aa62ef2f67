// Text files of the source tree, by their paths from its root.
#pragma once

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace dovetail::test {

// The files among `paths`, and those below the directories among them, that have the ending; in
// order of name. What does not exist is left out.
std::vector<std::string> documents(const std::vector<std::string>& paths,
                                   const std::string& ending);

std::string read_document(const std::string& path);

// A test name made from a path: docs/cli.md -> docs_cli_md.
std::string document_test_name(const testing::TestParamInfo<std::string>& info);

}  // namespace dovetail::test
