package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.CommitFound;
import java.util.function.Consumer;

/** In the end a group has an offset before one whose commit was acknowledged, or none. */
final class LostCommits implements Check {
  @Override
  public String anomaly() {
    return "lost commits";
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    Commits commits = new Commits();
    for (long number = 0; number < history.events().size(); number++) {
      commits.take(history, number);
    }
    for (CommitFound end : history.all(CommitFound.class)) {
      long highest = commits.highest(new Commits.Place(end.group(), end.partition()));
      if (end.offset() < highest) {
        found.accept(
            "group %s has %s offset %d in the end and had committed %d"
                .formatted(end.group(), end.partition(), end.offset(), highest));
      }
    }
  }
}
