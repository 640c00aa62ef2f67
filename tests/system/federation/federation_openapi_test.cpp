// docs/federation-openapi.json against the servers themselves.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "support/documents.hpp"
#include "support/json_schema.hpp"
#include "support/system/experiment_test.hpp"

namespace dovetail::testing {
namespace {

using federation::Json;
using federation::Role;

class FederationOpenApi : public ExperimentTest {
 protected:
  const Json document_ = Json::parse(test::read_document("docs/federation-openapi.json"));
  const JsonSchemas schemas_{document_};

  // The identity of somebody in that role, who is neither of the servers.
  federation::Caller as(Role role) {
    return federation::Caller(keys_.make(role, "some-" + std::string(name_of(role))));
  }

  // What a server answers to the example of an operation; refusals as {"denied": status}.
  Json ask(const std::string& server, Role its_role, Role our_role, const std::string& path,
           const std::string& method, const Json& body) {
    const federation::Server there{url(server), its_role};
    try {
      return method == "get" ? as(our_role).get(there, path, 20)
                             : as(our_role).post(there, path, body, 20);
    } catch (const federation::Denied& denied) {
      return {{"denied", denied.status()}};
    }
  }

  void check(const std::string& server, Role its_role, const std::string& path,
             const std::string& method, const Json& operation) {
    SCOPED_TRACE(server + " " + method + " " + path);
    Json body = Json::object();
    if (operation.contains("requestBody")) {
      const Json& content = operation["requestBody"]["content"]["application/json"];
      body = content["example"];
      EXPECT_EQ(schemas_.mismatch(body, content["schema"]), "");
    }
    const Json& schema = operation["responses"]["200"]["content"]["application/json"]["schema"];
    for (const Role role : {Role::client, Role::agent, Role::daemon}) {
      const Json& roles = operation["x-roles"];
      const bool may = std::ranges::find(roles, name_of(role)) != roles.end();
      const Json reply = ask(server, its_role, role, path, method, body);
      if (may) {
        EXPECT_EQ(schemas_.mismatch(reply, schema), "") << reply;
      } else {
        EXPECT_EQ(reply.value("denied", 0), 403) << name_of(role) << ": " << reply;
      }
    }
    if (!operation.contains("requestBody")) return;
    body["surely_unknown"] = 1;
    const bool takes_anything = path == "/v1/leave";
    const Role first = *federation::parse_role(operation["x-roles"][0].get<std::string>());
    if (takes_anything) return;
    EXPECT_EQ(ask(server, its_role, first, path, method, body).value("denied", 0), 400);
  }
};

TEST_F(FederationOpenApi, ServersAnswerAsTheFileSays) {
  start_agent("master");
  write_daemon("azur", 2, "0.05");
  start_daemon("azur", "master");
  wait_for_daemons(1);
  int checked = 0;
  for (const auto& [path, methods] : document_["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      for (const Json& by : operation["x-served-by"]) {
        const bool is_agent = by == "agent";
        check(is_agent ? "master" : "azur", is_agent ? Role::agent : Role::daemon, path, method,
              operation);
        ++checked;
      }
    }
  }
  EXPECT_GE(checked, 9);
}

TEST_F(FederationOpenApi, EveryPathOfTheSourcesIsInTheFile) {
  std::set<std::string> paths;
  const std::regex word("\"(/v1/[a-z]+)\"");
  for (const std::string& file : test::documents({"src/federation"}, ".cpp")) {
    const std::string text = test::read_document(file);
    for (std::sregex_iterator i(text.begin(), text.end(), word); i != std::sregex_iterator(); ++i) {
      paths.insert((*i)[1]);
    }
  }
  ASSERT_GT(paths.size(), 5U);
  for (const std::string& path : paths) EXPECT_TRUE(document_["paths"].contains(path)) << path;
}

}  // namespace
}  // namespace dovetail::testing
