package dev.vitrine.generator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VersionsTest {
  @ParameterizedTest
  @CsvSource({
    "0+, 2-5, true",
    "2-5, 2-5, true",
    "6+, 2-5, false",
    "none, 2-5, false",
    "0-3, 2-5, version <= 3",
    "3+, 2-5, version >= 3",
    "5+, 2-5, version == 5",
    "3-4, 2-5, version >= 3 && version <= 4"
  })
  void asksNoMoreThanIsOpen(String wanted, String known, String condition) {
    assertEquals(condition, Versions.parse(wanted).conditionWithin(Versions.parse(known)));
  }

  @ParameterizedTest
  @CsvSource({
    "true, false",
    "version >= 3, version < 3",
    "version == 3, version != 3",
    "version >= 3 && version <= 4, !(version >= 3 && version <= 4)"
  })
  void negates(String condition, String negated) {
    assertEquals(negated, CodeBuffer.negate(condition));
  }

  @Test
  void printsWhatItParsed() {
    for (String text : new String[] {"none", "0", "3", "3-4", "0+", "7+"}) {
      assertEquals(text, Versions.parse(text).toString());
    }
    assertTrue(Versions.parse("3-4").hull(Versions.parse("7")).contains(5));
    assertEquals(Versions.NONE, Versions.parse("3-4").intersect(Versions.parse("5+")));
  }

  @Test
  void leavesOutEmptyBranches() {
    CodeBuffer code = new CodeBuffer();
    code.either("version >= 3", () -> {}, () -> code.line("a();"));
    code.either("version >= 3", () -> code.line("b();"), () -> {});
    code.either("version >= 3", () -> {}, () -> {});
    code.either("true", () -> code.line("c();"), () -> code.line("d();"));
    assertEquals(
        "if (version < 3) {\n  a();\n}\nif (version >= 3) {\n  b();\n}\nc();\n", code.toString());
  }

  @Test
  void namesConstantsAsKafkaDoes() {
    assertEquals("LIST_OFFSETS", EnumWriter.constantName("ListOffsetsRequest", "Request"));
    assertEquals("NO_OP_RECORD", EnumWriter.constantName("NoOpRecord", ""));
  }
}
