package dev.vitrine.broker.partition;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.record.AppendRules;
import dev.vitrine.protocol.record.Validation;
import dev.vitrine.protocol.record.Validation.Rejected;
import dev.vitrine.protocol.record.Validation.Unfinished;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The batches that producers have sent to one partition and that are not in its log yet. Most are
 * checked at once; what takes long (much to decompress, or a codec to change) is checked on a disk
 * worker, several at a time, and all that came behind it waits: the log has them in the order in
 * which they came. Belongs to the partition's shard.
 */
final class Incoming {
  private static final Logger LOG = LoggerFactory.getLogger(Incoming.class);

  private final Shard shard;
  private final BatchAppender appender;
  private final TopicPartition partition;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

  private static final class Waiting {
    final Consumer<Validation> use;
    Validation validation;

    Waiting(Consumer<Validation> use) {
      this.use = use;
    }
  }

  Incoming(PartitionContext context, TopicPartition partition) {
    this.shard = context.shard();
    this.appender = context.appender();
    this.partition = partition;
  }

  /**
   * @param records not changed by anybody else until {@code use} is called
   * @param use called once, after those before it, perhaps within this call
   */
  void add(ByteBuf records, short produceVersion, AppendRules rules, Consumer<Validation> use) {
    Validation first = appender.validateBriefly(partition, rules, records, produceVersion);
    boolean finished = !(first instanceof Unfinished);
    if (finished && waiting.isEmpty()) {
      use.accept(first);
      return;
    }
    Waiting w = new Waiting(use);
    waiting.add(w);
    if (finished) {
      w.validation = first;
    } else {
      shard.offload(
          appender.validation(partition, rules, records, produceVersion),
          (validation, failure) -> finished(w, validation, failure));
    }
  }

  private void finished(Waiting w, Validation validation, Throwable failure) {
    w.validation = validation;
    if (failure != null) {
      LOG.error("{}: a batch cannot be validated", partition, failure);
      w.validation =
          new Rejected(
              Errors.UNKNOWN_SERVER_ERROR.code(), failure.toString(), null, List.of(), false);
    }
    while (!waiting.isEmpty() && waiting.peek().validation != null) {
      Waiting next = waiting.poll();
      next.use.accept(next.validation);
    }
  }
}
