#include "gen/users.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace dovetail::gen {
namespace {

// The users of a size class, with the running sum of their weights.
struct Club {
  std::vector<std::uint32_t> users;
  std::vector<double> weight_up_to;

  double weight() const { return weight_up_to.empty() ? 0 : weight_up_to.back(); }

  void join(std::uint32_t user, double user_weight) {
    users.push_back(user);
    weight_up_to.push_back(weight() + user_weight);
  }

  std::uint32_t draw(Random& random) const {
    const double at = random.uniform(0, weight());
    const auto found = std::upper_bound(weight_up_to.begin(), weight_up_to.end(), at);
    const auto position = static_cast<std::size_t>(found - weight_up_to.begin());
    return users[std::min(position, users.size() - 1)];
  }
};

std::vector<double> class_shares(std::span<const Count> procs) {
  std::vector<double> shares;
  for (const Count count : procs) {
    const std::size_t c = size_class(count);
    if (c >= shares.size()) shares.resize(c + 1);
    shares[c] += 1.0 / static_cast<double>(procs.size());
  }
  return shares;
}

// Starting with the busiest user, each joins the class whose share of the jobs is least covered.
std::vector<Club> form_clubs(std::vector<double> missing, std::uint32_t users) {
  double total = 0;
  for (std::uint32_t user = 1; user <= users; ++user) total += 1.0 / user;
  std::vector<Club> clubs(missing.size());
  for (std::uint32_t user = 1; user <= users; ++user) {
    const auto c = static_cast<std::size_t>(std::max_element(missing.begin(), missing.end()) -
                                            missing.begin());
    const double weight = 1.0 / user / total;
    clubs[c].join(user, weight);
    missing[c] -= weight;
  }
  return clubs;
}

// For each class, the class whose users submit its jobs.
std::vector<std::size_t> responsible(const std::vector<Club>& clubs) {
  std::vector<std::size_t> result(clubs.size());
  const auto first = std::find_if(clubs.begin(), clubs.end(),
                                  [](const Club& club) { return !club.users.empty(); });
  auto last = static_cast<std::size_t>(first - clubs.begin());
  for (std::size_t c = 0; c < clubs.size(); ++c) {
    if (!clubs[c].users.empty()) last = c;
    result[c] = last;
  }
  return result;
}

}  // namespace

std::size_t size_class(Count procs) {
  assert(procs >= 1);
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint32_t>(procs - 1)));
}

std::vector<std::uint32_t> draw_users(std::span<const Count> procs, std::uint32_t users,
                                      Random& random) {
  assert(users >= 1);
  if (procs.empty()) return {};
  const std::vector<Club> clubs = form_clubs(class_shares(procs), users);
  const std::vector<std::size_t> club_of = responsible(clubs);
  std::vector<std::uint32_t> result;
  result.reserve(procs.size());
  for (const Count count : procs) {
    result.push_back(clubs[club_of[size_class(count)]].draw(random));
  }
  return result;
}

}  // namespace dovetail::gen
