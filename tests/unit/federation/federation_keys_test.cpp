#include <gtest/gtest.h>
#include <sys/stat.h>

#include "federation/net/keys.hpp"
#include "support/federation.hpp"

namespace dovetail::federation {
namespace {

using testing::error_of;
using testing::TemporaryFolder;
using testing::TestKeys;

unsigned mode_of(const std::string& path) {
  struct stat about {};
  stat(path.c_str(), &about);
  return about.st_mode & 0777U;
}

TEST(FederationKeys, ACertificateSaysWhoseItIsAndInWhichRole) {
  const TestKeys keys;
  for (const Role role : {Role::client, Role::agent, Role::daemon}) {
    const Identity self = keys.make(role, "grillon");
    EXPECT_EQ(self.self.name, "grillon");
    EXPECT_EQ(self.self.role, role);
  }
}

TEST(FederationKeys, FilesAreForTheirOwnerAlone) {
  const TestKeys keys;
  const Identity self = keys.make(Role::daemon, "grillon");
  for (const std::string& file : {self.certificate, self.key, keys.path("ca.key")}) {
    EXPECT_EQ(mode_of(file), 0600U) << file;
  }
  EXPECT_EQ(mode_of(self.authority), 0644U) << "everybody needs it";
}

TEST(FederationKeys, NothingIsOverwrittenUnlessThatIsAskedFor) {
  const TestKeys keys;
  const Identity before = keys.make(Role::daemon, "grillon");
  const std::string text = testing::text_of(before.key);
  EXPECT_NE(error_of([&] { make_authority(keys.folder(), {}); }).find("--overwrite"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              make_certificate(keys.folder(), {Role::agent, "grillon"}, {});
            }).find("--overwrite"),
            std::string::npos);
  EXPECT_EQ(testing::text_of(before.key), text);
  make_certificate(keys.folder(), {Role::agent, "grillon"}, {.overwrite = true});
  EXPECT_NE(testing::text_of(before.key), text);
}

TEST(FederationKeys, NamesThatWouldBePathsOrCommandsAreRefused) {
  const TestKeys keys;
  for (const char* name : {"", "ca", "../x", "a b", "a;b", "a'b", ".x", "a/b", "a\nb"}) {
    EXPECT_NE(error_of([&] {
                make_certificate(keys.folder(), {Role::client, name}, {});
              }),
              "no error")
        << name;
  }
  const CertificateRequest strange{Role::daemon, "x", {"a,DNS:evil"}};
  EXPECT_NE(error_of([&] { make_certificate(keys.folder(), strange, {}); }), "no error");
}

TEST(FederationKeys, WhatCannotBeUsedIsSaidBeforeItIsTried) {
  const TestKeys keys;
  const TestKeys others;
  const std::string path = keys.path("grillon");
  EXPECT_NE(error_of([&] { identity(path); }), "no error");
  keys.make(Role::daemon, "grillon", -1);
  EXPECT_NE(error_of([&] { identity(path); }).find("has expired"), std::string::npos);
  const Identity self = keys.make(Role::daemon, "grillon");
  chmod(self.key.c_str(), 0640);
  EXPECT_NE(error_of([&] { identity(path); }).find("other users can read"), std::string::npos);
  chmod(self.key.c_str(), 0600);
  testing::put(keys.path("ca.crt"), testing::text_of(others.path("ca.crt")));
  EXPECT_NE(error_of([&] { identity(path); }).find("was not signed"), std::string::npos);
  testing::put(self.certificate, "nonsense");
  EXPECT_NE(error_of([&] { identity(path); }).find("not a certificate"), std::string::npos);
}

TEST(FederationKeys, AFolderWithoutAuthoritySaysHowToMakeOne) {
  const TemporaryFolder folder;
  EXPECT_NE(error_of([&] {
              make_certificate(folder.path().string(), {Role::client, "alice"}, {});
            }).find("dovetail keys authority"),
            std::string::npos);
}

TEST(FederationKeys, CertificatesAreListedByFile) {
  const TestKeys keys;
  keys.make(Role::daemon, "grillon");
  keys.make(Role::client, "alice");
  const auto known = certificates_in(keys.folder());
  ASSERT_EQ(known.size(), 3U);
  EXPECT_EQ(known[0].file, "alice.crt");
  EXPECT_EQ(known[0].peer->role, Role::client);
  EXPECT_EQ(known[1].file, "ca.crt");
  EXPECT_FALSE(known[1].peer);
  EXPECT_GT(known[2].until, run::wall_now());
  EXPECT_EQ(known[2].hosts, std::vector<std::string>{"127.0.0.1"});
}

TEST(FederationKeys, ACertificateEndsWithItsAuthority) {
  const TemporaryFolder folder;
  make_authority(folder.path().string(), {.days = 2});
  make_certificate(folder.path().string(), {Role::client, "alice"}, {.days = 30});
  const auto known = certificates_in(folder.path().string());
  ASSERT_EQ(known.size(), 2U);
  EXPECT_EQ(known[0].until, known[1].until);
}

TEST(FederationKeys, WhatWasTakenBackIsOnTheListAndANewOneIsNot) {
  const TestKeys keys;
  keys.make(Role::client, "alice");
  refuse_certificate(keys.folder(), "alice");
  refuse_certificate(keys.folder(), "alice");  // again is no error
  EXPECT_NE(error_of([&] { identity(keys.path("alice")); }).find("revoked"), std::string::npos);
  EXPECT_TRUE(certificates_in(keys.folder()).front().is_refused);
  keys.make(Role::client, "alice");
  EXPECT_FALSE(certificates_in(keys.folder()).front().is_refused);
  EXPECT_NE(error_of([&] { refuse_certificate(keys.folder(), "bob"); }), "no error");
}

}  // namespace
}  // namespace dovetail::federation
