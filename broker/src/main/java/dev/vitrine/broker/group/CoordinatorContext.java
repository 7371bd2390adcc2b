package dev.vitrine.broker.group;

import dev.vitrine.config.GroupSettings;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.seam.Shard;
import java.util.function.Supplier;

/** What all coordinators of a shard share. */
record CoordinatorContext(Shard shard, GroupSettings settings, Supplier<MetadataImage> image) {}
