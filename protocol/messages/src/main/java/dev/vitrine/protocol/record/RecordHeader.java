package dev.vitrine.protocol.record;

import io.netty.buffer.ByteBuf;

/**
 * One header of a record. The value may be null; as read, it is a slice that lives no longer than
 * the record.
 */
public record RecordHeader(String key, ByteBuf value) {}
