// Implements accept::Machine with the agent: runs the checks, and shows and writes their results.
#pragma once

#include "harness/accept/execute.h"
#include "harness/accept/profile/plan.h"
#include "harness/session/catalogue_cache.h"
#include "harness/session/console.h"
#include "harness/session/results/writer.h"
#include "harness/session/runner.h"

namespace gridlock::session {

class Acceptor : public accept::Machine {
 public:
  Acceptor(const Outputs& wanted, const Site& site, CatalogueCache& catalogue,
           const ResultsFolder& folder);

  report::Run run(const accept::Check& check, int repetition, Duration limit) override;
  std::string interrupted() override;
  Duration now() override;
  void locate(accept::Culprit& culprit) override;
  void begin(const accept::Check& check) override;
  //   Errors   MachineError on a full disk
  void done(const accept::Acceptance& acceptance) override;

  // Writes the reports: acceptance.json, acceptance.md, junit.xml, and those that the user asked
  // for. Says which it cannot write, and returns whether it has written all.
  bool write(const accept::Acceptance& acceptance) const;
  void clear() { console_.clear(); }
  // How many checks there will be, for the time that is left.
  void plan(int checks) { planned_ = checks; }
  // Runs that differed, the first ones.
  const std::vector<report::Run>& odd() const { return runner_.odd(); }

 private:
  Task task_of(const accept::Check& check, int repetition, Duration limit);
  report::Run soak(const accept::Check& check, Duration limit);

  const Outputs& wanted_;
  const Site& site_;
  CatalogueCache& catalogue_;
  const ResultsFolder& folder_;
  Runner runner_;
  Console console_;
  int begun_ = 0;
  int planned_ = 0;
};

}  // namespace gridlock::session
