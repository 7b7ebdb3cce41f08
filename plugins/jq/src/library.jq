# Deleting all at once, as jq does: jaq deletes one after the other, and reorders keys.
def del(f): delpaths([path(f)]);

# `null` joins as nothing.
def join($s):
  reduce .[] as $x (null;
    (if . == null then "" else . + $s end)
    + ($x | if . == null then "" elif isstring then . else tojson end)
  ) // "";

# Any of the names that jq takes.
def from_entries:
  def entry_key:
    if .key != null then .key else first((.k, .name, .Name, .K, .Key) | values) // null end
    | if isstring then . else tojson end;
  def entry_value:
    if has("value") then .value elif has("v") then .v else .Value end;
  reduce .[] as $x ({}; . + { ($x | entry_key): ($x | entry_value) });
def with_entries(f): to_entries | map(f) | from_entries;

def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def INDEX(stream; f): reduce stream as $row ({}; . + { ($row | f | tostring): $row });
def INDEX(f): INDEX(.[]; f);
def GROUP_BY(f): group_by(f);

def leaf_paths: paths(scalars);
def tostream:
  path(def rec: (.[]? | rec), .; rec) as $p
  | getpath($p)
  | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);

def toarray: if isarray then . else [.] end;
def trimstr($s): ltrimstr($s) | rtrimstr($s);
def ascii: [.] | implode;
def isvalid(f): try (f | true) catch false;
def have_literal_numbers: true;
def have_decnum: true;
def date: todate;

def @csv:
  map(
    if isstring then "\"" + (. / "\"" | join("\"\"")) + "\""
    elif . == null then ""
    elif isarray or isobject then error("\(type) cannot be a field of CSV")
    else tojson end
  ) | join(",");
def @tsv:
  map(
    if isstring then
      (. / "\\" | join("\\\\")) | (. / "\t" | join("\\t")) | (. / "\n" | join("\\n")) | (. / "\r" | join("\\r"))
    elif . == null then ""
    elif isarray or isobject then error("\(type) cannot be a field of TSV")
    else tojson end
  ) | join("\t");
