package dev.vitrine.broker.group;

import dev.vitrine.broker.group.ConsumerDraft.Surroundings;
import dev.vitrine.broker.group.ConsumerMember.Current;
import dev.vitrine.broker.group.ConsumerMember.Profile;
import dev.vitrine.protocol.Uuid;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;

/**
 * What a member's heartbeat, or a classic member's join, changes in a consumer group: the member
 * itself, the group's epoch, its target assignment, and what the member owns. The steps are called
 * in this order. Pure: it works on a {@link ConsumerDraft}.
 */
final class ConsumerUpdate {
  private final ConsumerDraft draft;
  private final ConsumerGroupView viewBefore;
  private final ConsumerMember before;
  private ConsumerMember member;
  private RegexStatus regex = RegexStatus.SAME;
  private SortedSet<String> regexesDue = Collections.emptySortedSet();
  private boolean refreshed;

  /**
   * @param before the member as it was, or a new one
   */
  ConsumerUpdate(ConsumerDraft draft, ConsumerMember before) {
    this.draft = draft;
    this.viewBefore = draft.view();
    this.before = before;
    this.member = before;
  }

  ConsumerMember before() {
    return before;
  }

  ConsumerMember member() {
    return member;
  }

  /** The patterns that are to be resolved, if any. */
  SortedSet<String> regexesDue() {
    return regexesDue;
  }

  /** Whether the topics' metadata was looked at. */
  boolean isRefreshed() {
    return refreshed;
  }

  // ---- 1. the member

  /**
   * @throws GroupException if its new pattern is none
   */
  void profile(Profile now, RegexRefresh refresh) {
    member = before.with(now);
    if (!now.equals(before.profile())) {
      draft.add(ConsumerGroupRecords.member(draft.groupId(), member));
    }
    String old = before.profile().regex();
    boolean isNew = false;
    if (now.hasRegex() ? !now.regex().equals(old) : before.profile().hasRegex()) {
      isNew = regexChanged(now, old);
    } else if (!Objects.equals(old, now.regex())) {
      regex = RegexStatus.UPDATED; // from null to empty
    }
    regexesDue = refresh.due(viewBefore, draft.view(), isNew, draft.around().now());
  }

  private boolean regexChanged(Profile now, String old) {
    Map<String, Integer> subscribers = viewBefore.regexSubscribers();
    regex = RegexStatus.UPDATED;
    if (before.profile().hasRegex() && subscribers.getOrDefault(old, 0) == 1) {
      draft.add(ConsumerGroupRecords.regexTombstone(draft.groupId(), old));
    }
    if (!now.hasRegex()) {
      regex = RegexStatus.UPDATED_AND_RESOLVED;
      return false;
    }
    if (subscribers.getOrDefault(now.regex(), 0) == 0) {
      RegexRefresh.check(now.regex());
      return true;
    }
    if (viewBefore.image().regexes().containsKey(now.regex())) {
      regex = RegexStatus.UPDATED_AND_RESOLVED;
    }
    return false;
  }

  RegexStatus regex() {
    return regex;
  }

  boolean topicsChanged() {
    return !member.profile().topics().equals(before.profile().topics());
  }

  boolean subscriptionChanged() {
    return topicsChanged() || regex.isUpdated();
  }

  boolean assignorChanged() {
    return draft.view() != viewBefore && !preferred(viewBefore).equals(preferred(draft.view()));
  }

  private String preferred(ConsumerGroupView view) {
    String wanted = view.preferredAssignor();
    return wanted == null ? draft.around().assignors().preferred().name() : wanted;
  }

  // ---- 2. the group's epoch

  /**
   * @param changed whether a new target is wanted in any case
   * @param stale whether topics of the group may have changed since they were looked at
   */
  void groupEpoch(boolean changed, boolean stale) {
    if (!changed && !stale) {
      return;
    }
    refreshed = true;
    long hash = draft.metadataHash();
    if (changed || hash != draft.image().epochs().metadataHash()) {
      draft.nextEpoch(hash);
    }
    if (draft.image().epochs().hasPartitionMetadata()) {
      draft.add(ConsumerGroupRecords.partitionMetadataTombstone(draft.groupId()));
    }
  }

  // ---- 3. the target assignment

  /** Computes a new one if the group has changed, and its interval is over (KIP-1263). */
  void target() {
    ConsumerGroupImage.Epochs epochs = draft.image().epochs();
    if (epochs.target() >= epochs.group()) {
      return;
    }
    Surroundings around = draft.around();
    int interval = around.terms().assignmentIntervalMs();
    boolean early = around.now() < epochs.targetTimestamp() + interval;
    if (epochs.targetTimestamp() != 0 && interval != 0 && early) {
      return;
    }
    draft.addAll(new TargetComputation(draft).records(preferred(draft.view())));
  }

  // ---- 4. what the member owns

  /**
   * @param owned what it says that it has; null if it does not say
   */
  void reconcile(Map<Uuid, Set<Integer>> owned) {
    int targetEpoch = draft.image().epochs().target();
    if (!subscriptionChanged() && member.current().isReconciledTo(targetEpoch)) {
      return;
    }
    Current next =
        new Reconciliation(
                draft.image(),
                targetEpoch,
                draft.image().target(member.memberId()),
                draft.subscribedIds(member),
                subscriptionChanged(),
                owned)
            .next(member.current());
    if (!next.equals(member.current())) {
      member = member.with(next);
      draft.add(ConsumerGroupRecords.current(draft.groupId(), member));
    }
  }
}
