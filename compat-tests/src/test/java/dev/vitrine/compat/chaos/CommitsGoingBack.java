package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.CommitSent;
import dev.vitrine.compat.chaos.Event.Done;
import java.util.function.Consumer;

/**
 * A group's commit was taken although a later offset had been committed before it was sent. Members
 * go on from what is committed, so one that has not been told of it is one of the past.
 */
final class CommitsGoingBack implements Check {
  @Override
  public String anomaly() {
    return "commits going back";
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    Commits commits = new Commits();
    for (long number = 0; number < history.events().size(); number++) {
      if (history.event(number) instanceof Done done
          && history.event(done.call()) instanceof CommitSent sent
          && sent.offset() < commits.whenAsked(done.call())) {
        found.accept(
            "%s of group %s committed %s offset %d after %d had been committed"
                .formatted(
                    sent.client(),
                    sent.group(),
                    sent.partition(),
                    sent.offset(),
                    commits.whenAsked(done.call())));
      }
      commits.take(history, number);
    }
  }
}
