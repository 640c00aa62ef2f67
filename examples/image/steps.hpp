// The steps of the image workflow. All but join use as many threads as there are processors, and
// their results do not depend on that number: every pixel is computed by itself.
#pragma once

#include <span>

#include "image.hpp"

namespace picture {

// A horizontal band of a whole picture: the `part`th, counted from 1, of `parts`.
struct Band {
  int part = 1;
  int parts = 1;
};

// A piece of the Mandelbrot set, lit from the upper left.
Image render(Band band, int whole_width);

// The bands, first at the top.
Image join(std::span<const Image> bands);

// The median of each pixel and its eight neighbours, colour by colour: single specks go.
Image smooth(const Image& image);

// Three passes of a box of 2 * radius + 1 pixels, which is close to a Gaussian.
Image blur(const Image& image, int radius);

// How much brightness changes at each pixel (Sobel), in grey.
Image edges(const Image& image);

// The scene with its outlines darkened and blurred copies of it added as a glow.
Image mix(const Image& scene, const Image& outlines, std::span<const Image> glows);

// Every `factor` by `factor` pixels become one.
Image shrink(const Image& image, int factor);

}  // namespace picture
