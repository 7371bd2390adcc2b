package dev.vitrine.broker.api;

import java.util.List;

/** The topics that the brokers keep for themselves. */
final class InternalTopics {
  static final String CONSUMER_OFFSETS = "__consumer_offsets";
  static final String TRANSACTION_STATE = "__transaction_state";
  static final String SHARE_GROUP_STATE = "__share_group_state";
  private static final List<String> ALL =
      List.of(CONSUMER_OFFSETS, TRANSACTION_STATE, SHARE_GROUP_STATE);

  private InternalTopics() {}

  static boolean contains(String topic) {
    return ALL.contains(topic);
  }
}
