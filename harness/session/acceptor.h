// The agent as the machine of an acceptance: runs checks, shows and writes what becomes of them.
#pragma once

#include "harness/accept/execute.h"
#include "harness/accept/profile/plan.h"
#include "harness/session/catalogue_cache.h"
#include "harness/session/console.h"
#include "harness/session/options.h"
#include "harness/session/starter.h"

namespace gridlock::session {

class Acceptor : public accept::Machine {
 public:
  Acceptor(const Options& options, const Site& site, CatalogueCache& catalogue,
           const ResultsFolder& folder);

  report::Run run(const accept::Check& check, int repetition, Duration limit) override;
  std::string interrupted() override;
  Duration now() override;
  void locate(accept::Culprit& culprit) override;
  void begin(const accept::Check& check) override;
  //   Errors   MachineError on a full disk
  void done(const accept::Acceptance& acceptance) override;

  // Writes the reports: acceptance.json, acceptance.md, junit.xml, and those that were asked for.
  void write(const accept::Acceptance& acceptance) const;
  void clear() { console_.clear(); }

 private:
  report::Run soak(const accept::Check& check, Duration limit);

  const Options& options_;
  const Site& site_;
  CatalogueCache& catalogue_;
  const ResultsFolder& folder_;
  Starter starter_;
  Console console_;
  int begun_ = 0;
};

}  // namespace gridlock::session
