// The workflows on which Casanova, Desprez and Suter (2010) compared ways to share a cluster:
// graphs of matrix kernels in three classes. Every class is a numbered population, so that sets can
// be drawn from it by number.
//
//   Workflow workflow = kernel_graph(KernelClass::fft, 17, 1, "w0");
//
// Times are for a processor of 1 GFlop/s; a cluster's speed divides them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/random.hpp"
#include "dovetail/workflow.hpp"

namespace dovetail::gen {

enum class KernelClass { random, strassen, fft };
inline constexpr KernelClass kKernelClasses[] = {KernelClass::random, KernelClass::strassen,
                                                 KernelClass::fft};
std::string_view to_string(KernelClass kernels);

// 1296 random graphs: 10, 20 or 50 tasks, three widths, two densities, two regularities, three
// jumps, four kinds of costs, three samples of each. 120 FFTs on 2, 4 or 8 points. 100 Strassen
// products.
std::size_t population(KernelClass kernels);

// Needs number < population(kernels).
Workflow kernel_graph(KernelClass kernels, std::size_t number, std::uint64_t seed,
                      std::string name);

// One level of Strassen's method on blocks of this side, in the textbook form with seven products
// that are summed one after the other: 10 sums, 7 products, 8 sums. A product takes 2 side^3
// operations and a sum 64 side^2, since reading and writing the blocks costs more than adding. The
// sequential share of each is uniform in [0, 0.25].
Workflow strassen_blocks(std::uint32_t side, Random& random, std::string name);

}  // namespace dovetail::gen
