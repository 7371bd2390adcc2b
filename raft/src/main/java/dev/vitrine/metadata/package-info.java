/**
 * The one model of the cluster: an immutable {@link dev.vitrine.metadata.MetadataImage} that grows
 * record by record out of the metadata log. Brokers and controller share it; nothing here knows
 * where records come from.
 */
package dev.vitrine.metadata;
