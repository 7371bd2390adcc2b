package dev.vitrine.broker.group;

import dev.vitrine.broker.group.assignor.ServerAssignors;
import dev.vitrine.config.ConsumerGroupTerms;
import dev.vitrine.config.GroupSettings;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.seam.Shard;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What all coordinators of a shard share.
 *
 * @param terms what holds for a consumer group, by its id, as of now
 * @param assignors those of {@code group.consumer.assignors}
 */
record CoordinatorContext(
    Shard shard,
    GroupSettings settings,
    Supplier<MetadataImage> image,
    Function<String, ConsumerGroupTerms> terms,
    ServerAssignors assignors) {}
