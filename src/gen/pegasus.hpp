// Workflows that resemble four scientific applications: CyberShake (earthquakes), Epigenomics,
// Montage (sky images) and Sipht (bacterial genes). Shapes and times follow the synthetic workflows
// that are commonly used to compare schedulers, with the task names of the public gallery.
//
//   Random random(7);
//   Workflow workflow = montage({.tasks = 250, .hours = 500}, random);   // 41 images, 162 overlaps
//
// Tasks run on one processor. With 50, 250 and 500 tasks the levels are as wide as in the published
// files, with other sizes in proportion. The division of work between the kinds of tasks follows
// the published files in the same way: by size and, for CyberShake, also by the total. All
// functions throw InputError for a spec out of range.
#pragma once

#include <cstdint>
#include <string>

#include "core/random.hpp"
#include "dovetail/workflow.hpp"

namespace dovetail::gen {

struct PegasusSpec {
  std::uint32_t tasks = 50;
  double hours = 100;  // of all tasks together
};

// ExtractSGT x s -> SeismogramSynthesis x v, each on one extraction, and each -> its own
// PeakValCalcOkaya; ZipSeis after all seismograms, ZipPSA after all peak values. s + 2v + 2 tasks,
// at least 10; s is 2, or 3 if the number is odd.
Workflow cybershake(const PegasusSpec& spec, Random& random, std::string name = "cybershake");

// Lanes: fastqSplit -> chains of filterContams -> sol2sanger -> fastq2bfq -> map -> mapMerge; then
// one mapMerge of all lanes -> maqindex -> pileup. With c lanes and f chains 2c + 4f + 3 tasks, at
// least 9. 50, 250 and 500 give the published 47, 249 and 497; any other number gives the nearest
// one that the shape allows, at most two off.
Workflow epigenomics(const PegasusSpec& spec, Random& random, std::string name = "epigenomics");

// Images: mProjectPP; about four times as many overlaps, each of two images: mDiffFit -> mConcatFit
// -> mBgModel -> mBackground per image -> mImgTbl -> mAdd -> mShrink -> mJPEG. At least 14 tasks. A
// few overlaps have only one image, as in the published files.
Workflow montage(const PegasusSpec& spec, Random& random, std::string name = "montage");

// Structures independent of each other, one for about 31 tasks: Patser x q -> Patser_concate;
// Blast, Findterm, RNAMotif, Transterm -> SRNA -> FFN_Parse -> Blast_synteny, three more searches;
// SRNA_annotate after all of them. q + 12 tasks each, at least 13 in all. 50, 250 and 500 give the
// published 48, 242 and, in proportion, 484.
Workflow sipht(const PegasusSpec& spec, Random& random, std::string name = "sipht");

}  // namespace dovetail::gen
