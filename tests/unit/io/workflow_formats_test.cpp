// The table of workflow formats.
#include <gtest/gtest.h>

#include "io/formats/table.hpp"

namespace dovetail::io {
namespace {

constexpr std::string_view kFlow =
    "name: f\ntasks: [{id: a, time: 5}, {id: b, time: 7, after: [a]}]";

TEST(WorkflowFormats, WhatAFormatWritesItRecognisesAndReads) {
  const Workflow flow = parse_workflow(kFlow, "f");
  for (const FormatInfo& row : workflow_formats()) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(&info_of(row.format), &row);
    EXPECT_EQ(find_format(row.name), &row);
    if (row.write == nullptr) continue;
    WorkflowText text(row.write(flow), "f");
    EXPECT_EQ(&format_of(text), &row);
    EXPECT_EQ(row.read(text, {}, nullptr).size(), 2U);
  }
  WorkflowText dax("<adag name='f'><job id='a' name='x' runtime='5'/></adag>", "f");
  EXPECT_EQ(format_of(dax).name, "dax");
  EXPECT_EQ(find_format("xml"), nullptr);
}

TEST(WorkflowFormats, TheLongestEndingDecides) {
  EXPECT_EQ(format_of_ending("a.yml")->name, "yaml");
  EXPECT_EQ(format_of_ending("a.json")->name, "json");
  EXPECT_EQ(format_of_ending("a.wfcommons.json")->name, "wfcommons");
  EXPECT_EQ(format_of_ending("a.gv")->name, "dot");
  EXPECT_EQ(format_of_ending("a.dax"), nullptr) << "it cannot be written";
  EXPECT_EQ(format_of_ending("a"), nullptr);
}

TEST(WorkflowFormats, MessagesListThem) {
  EXPECT_EQ(titles_to_read(), "YAML, JSON, WfCommons, DAX or DOT");
  EXPECT_EQ(names_to_write(), "yaml, json, wfcommons or dot");
  EXPECT_EQ(names_and_versions_to_write(), "yaml, json, wfcommons (1.5) or dot");
  EXPECT_EQ(endings_to_write(), ".yaml, .json, .wfcommons.json or .dot");
}

}  // namespace
}  // namespace dovetail::io
