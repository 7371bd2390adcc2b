package dev.vitrine.broker.api;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.AlterClientQuotasRequest;
import dev.vitrine.protocol.message.AlterClientQuotasResponse;
import dev.vitrine.protocol.message.DescribeClientQuotasResponse;

/** {@link ErrorResponses} of what asks for the quotas of clients. Stateless. */
final class QuotaErrorResponses {
  private QuotaErrorResponses() {}

  static ApiMessage alter(AlterClientQuotasRequest request, Errors e) {
    AlterClientQuotasResponse response = new AlterClientQuotasResponse();
    for (AlterClientQuotasRequest.EntryData asked : request.entries()) {
      AlterClientQuotasResponse.EntryData entry =
          new AlterClientQuotasResponse.EntryData().errorCode(e.code()).errorMessage(null);
      for (AlterClientQuotasRequest.EntityData part : asked.entity()) {
        entry
            .entity()
            .add(
                new AlterClientQuotasResponse.EntityData()
                    .entityType(part.entityType())
                    .entityName(part.entityName()));
      }
      response.entries().add(entry);
    }
    return response;
  }

  static ApiMessage describe(Errors e) {
    return new DescribeClientQuotasResponse().errorCode(e.code()).errorMessage(null).entries(null);
  }
}
