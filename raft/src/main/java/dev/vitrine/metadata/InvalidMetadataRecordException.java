package dev.vitrine.metadata;

import dev.vitrine.protocol.ApiMessage;

/**
 * A record of the metadata log that cannot be applied: of an unknown type, or about something that
 * is not there. Whoever reads the log must stop at it: to go on would be to diverge from others.
 */
public final class InvalidMetadataRecordException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  InvalidMetadataRecordException(String message) {
    super(message);
  }

  InvalidMetadataRecordException(ApiMessage record, String why) {
    super(why + ": " + record.getClass().getSimpleName() + " " + record);
  }
}
