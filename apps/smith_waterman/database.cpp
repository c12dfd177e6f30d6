// SPDX-License-Identifier: Apache-2.0
#include "database.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "fasta.h"
#include "kit/checksum.h"
#include "kit/folder.h"
#include "kit/result.h"

namespace smith_waterman {

namespace {

struct Hit {
  std::int32_t score;
  std::string name;
  std::string file;
};

bool better(const Hit& a, const Hit& b) {
  return a.score != b.score ? a.score > b.score : std::tie(a.file, a.name) < std::tie(b.file, b.name);
}

void write_hits(const std::string& path, const std::vector<Hit>& hits) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"), std::fclose);
  if (!file) throw std::system_error(errno, std::generic_category(), path);
  for (const Hit& hit : hits) std::fprintf(file.get(), "%d\t%s\n", hit.score, hit.name.c_str());
  if (std::fflush(file.get()) != 0) throw std::system_error(errno, std::generic_category(), path);
}

std::vector<Hit> score_file(const std::string& folder, const std::string& name, const Profile& profile,
                            const Scoring& scoring) {
  std::vector<Hit> hits;
  for (auto& sequence : read_fasta(folder + "/" + name))
    hits.push_back({score(profile, encode(sequence.residues), scoring), std::move(sequence.name), name});
  std::sort(hits.begin(), hits.end(), better);
  return hits;
}

std::uint64_t checksum_of(const std::vector<Hit>& hits, std::uint64_t file) {
  std::uint64_t sum = file;
  for (const Hit& hit : hits)
    sum = kit::item(sum, static_cast<std::uint64_t>(hit.score)) + kit::hash(hit.name.data(), hit.name.size());
  return kit::item(file, sum);
}

}  // namespace

Outcome search(const SearchPlan& plan, const Scoring& scoring, const kit::Team& team) {
  const auto queries = read_fasta(plan.query);
  if (queries.empty()) throw std::runtime_error(plan.query + ": no sequence in it");
  const Codes query = encode(queries.front().residues);
  const Profile profile(query, scoring, plan.simd);
  const auto files = kit::files_below(plan.database);
  for (const auto& name : files)
    std::filesystem::create_directories(std::filesystem::path(plan.output + "/" + name).parent_path());

  std::vector<Hit> best(files.size());  // of each file
  kit::Progress progress("smith_waterman: files", files.size());
  const std::uint64_t sum = kit::sum_of(team, static_cast<std::int64_t>(files.size()), [&](std::int64_t i) {
    return kit::or_end([&] {
      const auto at = static_cast<std::size_t>(i);
      const auto hits = score_file(plan.database, files[at], profile, scoring);
      write_hits(plan.output + "/" + files[at], hits);
      if (!hits.empty()) best[at] = hits.front();
      progress.tick();
      return checksum_of(hits, at);
    });
  });

  std::sort(best.begin(), best.end(), better);
  for (std::size_t i = 0; i < std::min(plan.top, best.size()); ++i)
    std::printf("%d\t%s\t%s\n", best[i].score, best[i].name.c_str(), best[i].file.c_str());
  return {sum, files.size()};
}

void generate_database(const SearchPlan& plan, std::size_t files, std::size_t sequences, std::size_t length,
                       std::uint64_t seed) {
  std::filesystem::create_directories(plan.database);
  const std::string query = random_residues(protein_letters, length, seed);
  write_fasta(plan.query, {{"query", query}});
  std::mt19937_64 random(seed + 1);
  for (std::size_t file = 0; file < files; ++file) {
    std::vector<Sequence> content;
    for (std::size_t i = 0; i < sequences; ++i) {
      const std::size_t size = length / 2 + random() % (length + 1);
      content.push_back({"s" + std::to_string(file) + "." + std::to_string(i),
                         random_residues(protein_letters, size, random())});
    }
    if (file % 10 == 3 && !content.empty()) {
      const std::size_t begin = random() % (length / 2 + 1);
      content[random() % content.size()].residues +=
          mutated(std::string_view(query).substr(begin, length / 3), protein_letters, random());
    }
    write_fasta(kit::numbered(plan.database, static_cast<std::int64_t>(file), ".fasta"), content);
  }
}

}  // namespace smith_waterman
