package dev.vitrine.generator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.generator.FieldType.ArrayType;
import dev.vitrine.generator.FieldType.Primitive;
import dev.vitrine.generator.FieldType.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SchemaParserTest {
  private static Schema parse(String text) {
    return SchemaParser.parse("kafka-test/Test.json", "kafka-test", text.replace('\'', '"'));
  }

  private static Schema withFields(String fields) {
    return parse(
        "{'type':'data','name':'Test','validVersions':'0-4','flexibleVersions':'2+','fields':["
            + fields
            + "]}");
  }

  @Test
  void readsASchemaWithComments() {
    Schema s =
        parse(
            "// A licence.\n"
                + "{'apiKey': 7, 'type': 'request', 'name': 'TestRequest',\n"
                + " // What the versions are.\n"
                + " 'listeners': ['broker'], 'validVersions': '1-3', 'flexibleVersions': '2+',\n"
                + " 'latestVersionUnstable': true,\n"
                + " 'fields': [\n"
                + "  {'name': 'TopicId', 'type': 'uuid', 'versions': '0+', 'about': 'x'},\n"
                + "  {'name': 'Gone', 'type': 'int8', 'versions': '0'},\n"
                + "  {'name': 'Parts', 'type': '[]Part', 'versions': '2+', 'fields': [\n"
                + "   {'name': 'Epoch', 'type': 'int16', 'versions': '0+', 'default': '-1'}]},\n"
                + "  {'name': 'One', 'type': 'Common', 'taggedVersions': '3+', 'tag': 0,\n"
                + "   'nullableVersions': '3+', 'default': 'null'}],\n"
                + " 'commonStructs': [{'name': 'Common', 'versions': '0+', 'fields': []}]}");
    assertEquals(Schema.Kind.REQUEST, s.kind());
    assertEquals(7, s.apiKey());
    assertEquals(2, s.highestStable());
    assertEquals(3, s.root().fields().size(), "what no version has is left out");
    Field parts = s.root().fields().get(1);
    assertEquals(new ArrayType(new StructType("Part")), parts.type());
    assertEquals("(short) -1", s.struct("Part").fields().get(0).defaultValue());
    assertEquals(new Versions(2, 3), s.struct("Part").versions());
    Field one = s.root().fields().get(2);
    assertEquals(Versions.parse("3+"), one.versions(), "as tagged if it does not say");
    assertEquals(0, one.tag());
    assertTrue(one.defaultsToNull());
  }

  @Test
  void aSchemaWithoutVersionsIsNone() {
    assertNull(parse("{'type':'request','name':'Old','apiKey':4,'validVersions':'none'}"));
  }

  /** Kafka's own generator reads it so, and the bytes depend on it. */
  @Test
  void aNullThatIsNotInQuotesIsNoDefault() {
    Schema s =
        withFields(
            "{'name':'A','type':'[]int32','versions':'0+','nullableVersions':'0+','default':null}");
    assertEquals("new ArrayList<>()", s.root().fields().get(0).defaultValue());
  }

  @ParameterizedTest
  @CsvSource({
    "int8, 16, (byte) 16",
    "int32, 0x7fffffff, 2147483647",
    "int32, -2147483648, -2147483648",
    "int64, 9223372036854775807, 9223372036854775807L",
    "uint16, '', 0",
    "bool, true, true",
    "string, '', \"\"",
    "uuid, '', Uuid.ZERO",
    "bytes, '', new byte[0]",
    "records, '', Records.EMPTY"
  })
  void readsDefaults(String type, String text, String java) {
    Schema s =
        withFields("{'name':'A','type':'" + type + "','versions':'0+','default':'" + text + "'}");
    assertEquals(java, s.root().fields().get(0).defaultValue());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'name':'Bad','type':'int32','versions':'3-1'}",
        "{'name':'Bad','type':'int32','versions':'+'}",
        "{'name':'Bad','type':'int32','versions':'-1'}",
        "{'name':'Bad','type':'int32','versions':'99999'}",
        "{'name':'Bad','type':'int32','versions':'a+'}",
        "{'name':'Bad','type':'int32'}",
        "{'name':'Bad','versions':'0+'}",
        "{'name':'Bad','type':'int31','versions':'0+'}",
        "{'name':'Bad','type':'[][]int32','versions':'0+'}",
        "{'name':'Bad','type':'[]bytes','versions':'0+'}",
        "{'name':'Bad','type':'Nowhere','versions':'0+'}",
        "{'name':'Bad','type':'int32','versions':'0+','nullableVersions':'0+'}",
        "{'name':'Bad','type':'string','versions':'0+','default':'null'}",
        "{'name':'Bad','type':'int8','versions':'0+','default':'128'}",
        "{'name':'Bad','type':'bool','versions':'0+','default':'maybe'}",
        "{'name':'Bad','type':'[]int8','versions':'0+','default':'1'}",
        "{'name':'Bad','type':'int8','versions':'0+','tag':0,'taggedVersions':'1+'}",
        "{'name':'Bad','type':'int8','versions':'3+','tag':0,'taggedVersions':'2+'}",
        "{'name':'Bad','type':'int8','versions':'2+','taggedVersions':'2+'}",
        "{'name':'Bad','type':'int8','versions':'0+'},{'name':'bad','type':'int8','versions':'0+'}",
        "{'name':'Bad','type':'int8','versions':'0+','fields':[]}",
        "{'name':'A','type':'Bad','versions':'0+','fields':["
            + "{'name':'Bad','type':'Bad','versions':'0+'}]}"
      })
  void namesFileAndFieldOfWhatIsWrong(String field) {
    SchemaException e = assertThrows(SchemaException.class, () -> withFields(field));
    assertTrue(e.getMessage().startsWith("kafka-test/Test.json: Test."), e.getMessage());
    assertTrue(e.getMessage().toLowerCase().contains("bad"), e.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "{} {}",
        "{'type':'data','type':'data'}",
        "{'type':'data','name':'Test','validVersions':'0-','flexibleVersions':'none','fields':[]}",
        "{'type':'data','name':'Test','validVersions':'0+','flexibleVersions':'none','fields':[]}",
        "{'type':'data','name':'Test','validVersions':'0','flexibleVersions':'none'}",
        "{'type':'data','name':'Test','validVersions':'0','fields':[]}",
        "{'type':'datum','name':'Test','validVersions':'0','flexibleVersions':'none','fields':[]}"
      })
  void namesTheFileOfWhatIsNoSchema(String text) {
    SchemaException e = assertThrows(SchemaException.class, () -> parse(text));
    assertTrue(e.getMessage().startsWith("kafka-test/Test.json: "), e.getMessage());
  }

  @Test
  void everyPrimitiveHasAName() {
    for (Primitive p : Primitive.values()) {
      assertEquals(p, FieldType.parse(p.name().toLowerCase()));
    }
  }
}
