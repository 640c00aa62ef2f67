// Which connections of a server begin, wait and go.
#include <gtest/gtest.h>

#include "federation/net/admission.hpp"

namespace dovetail::federation {
namespace {

using Entry = Admission::Entry;
using Ids = std::vector<Admission::Id>;

TEST(Admission, WithoutACertificateNoPlaceIsTaken) {
  Admission admission({.places = 1, .unverified = 10, .unverified_per_address = 10});
  for (Admission::Id id = 1; id <= 10; ++id) EXPECT_EQ(admission.arrive(id, "a"), std::nullopt);
  EXPECT_EQ(admission.verify(10, "alice"), Entry::begins);
}

TEST(Admission, TheOldestOfAnAddressGoesWhenThereAreTooMany) {
  Admission admission({.places = 1, .unverified = 10, .unverified_per_address = 2});
  EXPECT_EQ(admission.arrive(1, "a"), std::nullopt);
  EXPECT_EQ(admission.arrive(2, "b"), std::nullopt);
  EXPECT_EQ(admission.arrive(3, "b"), std::nullopt);
  EXPECT_EQ(admission.arrive(4, "b"), 2U);
  admission.leave(2);
  EXPECT_EQ(admission.arrive(5, "a"), std::nullopt);
  EXPECT_EQ(admission.verify(3, "alice"), Entry::begins);
  EXPECT_EQ(admission.arrive(6, "b"), std::nullopt) << "a verified one does not count";
}

TEST(Admission, TheOldestOfAllGoesWhenThereAreTooMany) {
  Admission admission({.places = 1, .unverified = 3, .unverified_per_address = 2});
  for (Admission::Id id = 1; id <= 3; ++id) {
    EXPECT_EQ(admission.arrive(id, std::to_string(id)), std::nullopt);
  }
  EXPECT_EQ(admission.arrive(4, "4"), 1U);
}

TEST(Admission, WhoHasSaidSomethingStaysLonger) {
  Admission admission({.places = 1, .unverified = 3, .unverified_per_address = 2});
  const auto is_silent = [](Admission::Id id) { return id != 1 && id != 3; };
  EXPECT_EQ(admission.arrive(1, "a", is_silent), std::nullopt);
  EXPECT_EQ(admission.arrive(2, "a", is_silent), std::nullopt);
  EXPECT_EQ(admission.arrive(3, "a", is_silent), 2U);
  admission.leave(2);
  EXPECT_EQ(admission.arrive(4, "a", is_silent), 1U) << "both others have spoken";
  admission.leave(1);
  EXPECT_EQ(admission.arrive(5, "b", is_silent), std::nullopt);
  EXPECT_EQ(admission.arrive(6, "c", is_silent), 4U);
}

TEST(Admission, ManyWithoutACertificateAreACrowd) {
  Admission admission({.places = 1, .unverified = 100, .unverified_per_address = 8});
  for (Admission::Id id = 1; id <= 2; ++id) admission.arrive(id, "a");
  EXPECT_FALSE(admission.is_crowded("a"));
  admission.arrive(3, "a");
  EXPECT_TRUE(admission.is_crowded("a"));
  EXPECT_FALSE(admission.is_crowded("b"));
  EXPECT_EQ(admission.verify(3, "alice"), Entry::begins);
  EXPECT_FALSE(admission.is_crowded("a"));
}

TEST(Admission, WhoFindsNoPlaceWaitsForItsTurn) {
  Admission admission({.places = 2, .unverified = 10, .unverified_per_address = 10});
  for (Admission::Id id = 1; id <= 5; ++id) admission.arrive(id, "a");
  EXPECT_EQ(admission.verify(1, "alice"), Entry::begins);
  EXPECT_EQ(admission.verify(2, "bob"), Entry::begins);
  EXPECT_EQ(admission.verify(3, "carol"), Entry::waits);
  EXPECT_EQ(admission.verify(4, "dave"), Entry::waits);
  EXPECT_EQ(admission.verify(5, "eve"), Entry::refused);
  EXPECT_EQ(admission.leave(5), Ids{});
  EXPECT_EQ(admission.leave(1), Ids{3});
  EXPECT_EQ(admission.leave(4), Ids{}) << "it gave up waiting";
  EXPECT_EQ(admission.leave(3), Ids{});
  EXPECT_EQ(admission.leave(2), Ids{});
}

TEST(Admission, OneCallerCannotHaveAllPlaces) {
  Admission admission({.places = 4, .unverified = 20, .unverified_per_address = 20});
  for (Admission::Id id = 1; id <= 10; ++id) admission.arrive(id, "a");
  for (Admission::Id id = 1; id <= 3; ++id)
    EXPECT_EQ(admission.verify(id, "mallory"), Entry::begins);
  for (Admission::Id id = 4; id <= 6; ++id)
    EXPECT_EQ(admission.verify(id, "mallory"), Entry::waits);
  EXPECT_EQ(admission.verify(7, "mallory"), Entry::refused);
  EXPECT_EQ(admission.verify(8, "alice"), Entry::begins);
  EXPECT_EQ(admission.verify(9, "bob"), Entry::waits);
  EXPECT_EQ(admission.leave(8), Ids{9}) << "those of mallory are earlier, but it has its share";
  EXPECT_EQ(admission.leave(1), Ids{4});
}

TEST(FairShares, LargeOnesWaitForRoomAndAreNotOvertaken) {
  FairShares bytes({.units = 100, .waiting = 4});
  EXPECT_EQ(bytes.ask(1, "alice", 40), Entry::begins);
  EXPECT_EQ(bytes.ask(2, "bob", 40), Entry::begins);
  EXPECT_EQ(bytes.ask(3, "carol", 50), Entry::waits);
  EXPECT_EQ(bytes.ask(4, "dave", 10), Entry::waits) << "there is room, but carol was first";
  EXPECT_EQ(bytes.used(), 80U);
  EXPECT_EQ(bytes.leave(1), (Ids{3, 4}));
  EXPECT_EQ(bytes.used(), 100U);
  EXPECT_EQ(bytes.ask(5, "eve", 60), Entry::waits);
  EXPECT_EQ(bytes.ask(6, "dave", 5), Entry::waits);
  EXPECT_EQ(bytes.leave(5), Ids{}) << "it gave up waiting, and all is taken";
  EXPECT_EQ(bytes.leave(2), Ids{6});
  for (const FairShares::Id id : {3, 4, 6}) bytes.leave(id);
  EXPECT_EQ(bytes.used(), 0U);
}

TEST(FairShares, OneCallerHasThreeQuartersAtMost) {
  FairShares bytes({.units = 100, .waiting = 4});
  EXPECT_EQ(bytes.ask(1, "mallory", 76), Entry::refused) << "it could never begin";
  EXPECT_EQ(bytes.ask(2, "mallory", 70), Entry::begins);
  EXPECT_EQ(bytes.ask(3, "mallory", 6), Entry::waits);
  EXPECT_EQ(bytes.ask(4, "alice", 30), Entry::begins) << "mallory waits for itself alone";
  EXPECT_EQ(bytes.ask(5, "mallory", 1), Entry::waits);
  EXPECT_EQ(bytes.ask(6, "mallory", 1), Entry::waits);
  EXPECT_EQ(bytes.ask(7, "mallory", 1), Entry::refused) << "three of four that may wait";
  EXPECT_EQ(bytes.leave(2), (Ids{3, 5, 6}));
}

}  // namespace
}  // namespace dovetail::federation
