/*
 * The limit on this machine: one thread, epoll, and the SQLite of better-sqlite3. It serves POST /interventii and
 * GET /interventii/ID over HTTP/1.1, and writes what the product writes for a record, in a database that the product
 * has made: the record with its folded texts, its outbox entry, the counts, the event, and both checksums. All POSTs of
 * one turn of epoll share a commit, each in a savepoint of its own, and are answered after it.
 *
 * It leaves out what costs the product time and no disk: the check of a schema (here only the types of the fields),
 * idempotency keys, dates with an offset, \u escapes, and folding of letters other than English and Romanian ones. A
 * token is compared with one that was verified before. A client that does not read its answer is cut off.
 *
 * floor-c PORT DATABASE SESSION TOKEN: SESSION is SQL that the connection begins with, TOKEN the one that is accepted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "sqlite3.h"

enum { EVENTS_MAX = 1024, REQUEST_MAX = 16384, BACKLOG = 4096, DISPATCH_CENTRE = 1 };

struct value { enum { NOTHING, TEXT, NUMBER, FLAG } is; const char *text; size_t length; sqlite3_int64 number; };
struct text { char *at; size_t length, room; };

/* The fields of a record in the order of the API. Only name, objectiveType and objectiveId have no default. */
enum {
  NAME, DESCRIPTION, START, END, STATUS, PRIORITY, TYPE, OBJECTIVE_TYPE, OBJECTIVE_ID, CREWS, POLICE, AMBULANCE,
  FIRETRUCK, NOTES, FIELDS
};
#define NAMED(text) {",\"" text "\":", sizeof text + 3}
static const struct { const char *json; size_t length; } NAMES[FIELDS] = {
  NAMED("name"), NAMED("description"), NAMED("dateStart"), NAMED("dateEnd"), NAMED("status"), NAMED("priority"),
  NAMED("type"), NAMED("objectiveType"), NAMED("objectiveId"), NAMED("crews"), NAMED("police"), NAMED("ambulance"),
  NAMED("firetruck"), NAMED("notes")};
static const struct value DEFAULTS[FIELDS] = {
  [STATUS] = {TEXT, "planned", 7, 0}, [PRIORITY] = {TEXT, "medium", 6, 0}, [TYPE] = {TEXT, "maintenance", 11, 0},
  [CREWS] = {NUMBER, 0, 0, 1}, [POLICE] = {.is = FLAG}, [AMBULANCE] = {.is = FLAG}, [FIRETRUCK] = {.is = FLAG}};

struct connection {
  int socket, keep, status;
  size_t have, used;              /* bytes that were read, and those of the request that is waiting */
  struct value values[FIELDS];    /* of the request that is waiting; their texts lie in `in` */
  struct text answer;
  char in[REQUEST_MAX];
};

static sqlite3 *database;
static sqlite3_stmt *begin, *commit, *save, *keep, *undo, *account, *objective, *insert, *queue, *count, *event, *find;
static struct connection *waiting[EVENTS_MAX];
static int waiting_count;
static const char *token;
static size_t token_length;

static void fail(const char *what) {
  fprintf(stderr, "%s: %s; %s\n", what, strerror(errno), database ? sqlite3_errmsg(database) : "no database");
  exit(1);
}

/* Texts ------------------------------------------------------------------------------------------------------- */

static void add(struct text *to, const char *bytes, size_t length) {
  if (to->length + length > to->room) to->at = realloc(to->at, to->room = 2 * (to->length + length));
  if (!to->at) fail("memory");
  memcpy(to->at + to->length, bytes, length);
  to->length += length;
}

static void add_format(struct text *to, const char *format, ...) {
  char line[256];
  va_list values;
  va_start(values, format);
  int length = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  add(to, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

/* A string as JSON.stringify writes it. */
static void add_string(struct text *to, const char *bytes, size_t length) {
  static const char SHORT[] = "btn-fr"; /* of the bytes 8 to 13; 11 has none */
  add(to, "\"", 1);
  for (size_t from = 0, at = 0; at <= length; at++) {
    unsigned char byte = at < length ? (unsigned char)bytes[at] : 0;
    if (at < length && byte >= 32 && byte != '"' && byte != '\\') continue;
    add(to, bytes + from, at - from);
    from = at + 1;
    if (at == length) break;
    if (byte == '"' || byte == '\\') add_format(to, "\\%c", byte);
    else if (byte >= 8 && byte <= 13 && byte != 11) add_format(to, "\\%c", SHORT[byte - 8]);
    else add_format(to, "\\u%04x", byte);
  }
  add(to, "\"", 1);
}

static void add_number(struct text *to, sqlite3_int64 number) {
  char digits[20], *at = digits + sizeof digits;
  uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
  do *--at = (char)('0' + left % 10); while (left /= 10);
  if (number < 0) add(to, "-", 1);
  add(to, at, (size_t)(digits + sizeof digits - at));
}

static void add_value(struct text *to, const struct value *value) {
  if (value->is == TEXT) add_string(to, value->text, value->length);
  else if (value->is == NUMBER) add_number(to, value->number);
  else if (value->is == FLAG) add(to, value->number ? "true" : "false", value->number ? 4 : 5);
  else add(to, "null", 4);
}

static void add_record(struct text *to, sqlite3_int64 id, const struct value *values) {
  add_format(to, "{\"id\":%lld", id);
  for (int field = 0; field < FIELDS; field++) {
    add(to, NAMES[field].json, NAMES[field].length);
    add_value(to, &values[field]);
  }
  add_format(to, ",\"dispeceratId\":%d,\"invoicePdf\":null}", DISPATCH_CENTRE);
}

/* JSON of a request: an object whose values are strings, whole numbers, true, false or null ---------------------- */

static char *skip(char *at) { return at + strspn(at, " \t\r\n"); }

/* Decodes a string in place, which never makes it longer. Returns what follows it; NULL for an error. */
static char *read_string(char *at, struct value *to) {
  static const char FROM[] = "\"\\/bfnrt", INTO[] = "\"\\/\b\f\n\r\t";
  if (*at++ != '"') return NULL;
  char *write = at;
  *to = (struct value){TEXT, at, 0, 0};
  while (*at != '"') {
    if ((unsigned char)*at < 32) return NULL;
    if (*at != '\\') { *write++ = *at++; continue; }
    const char *known = at[1] ? strchr(FROM, at[1]) : NULL;
    if (!known) return NULL;
    *write++ = INTO[known - FROM];
    at += 2;
  }
  to->length = (size_t)(write - to->text);
  return at + 1;
}

static char *read_value(char *at, struct value *to) {
  if (*at == '"') return read_string(at, to);
  *to = (struct value){.is = NOTHING};
  if (!strncmp(at, "null", 4)) return at + 4;
  to->is = FLAG;
  if (!strncmp(at, "false", 5)) return at + 5;
  if (!strncmp(at, "true", 4)) { to->number = 1; return at + 4; }
  char *end;
  *to = (struct value){.is = NUMBER, .number = strtoll(at, &end, 10)};
  return end == at || *end == '.' || *end == 'e' || *end == 'E' ? NULL : end;
}

/* Returns whether `body` is a record that can be written. It ends with a zero. */
static int read_record(char *body, struct value *values) {
  struct value name, value;
  memcpy(values, DEFAULTS, sizeof DEFAULTS);
  char *at = skip(body);
  if (*at != '{') return 0;
  for (at = skip(at + 1); *at != '}'; at = skip(at)) {
    if (!(at = read_string(at, &name)) || *(at = skip(at)) != ':') return 0;
    if (!(at = read_value(skip(at + 1), &value))) return 0;
    for (int field = 0; field < FIELDS; field++)
      if (NAMES[field].length == name.length + 4 && !memcmp(NAMES[field].json + 2, name.text, name.length)) {
        int is_number = field == OBJECTIVE_ID || field == CREWS, is_flag = field >= POLICE && field <= FIRETRUCK;
        int may_miss = field == DESCRIPTION || field == START || field == END || field == NOTES;
        if (value.is == NOTHING ? !may_miss : value.is != (is_number ? NUMBER : is_flag ? FLAG : TEXT)) return 0;
        values[field] = value;
      }
    at = skip(at);
    if (*at == ',') at = skip(at + 1);
    else if (*at != '}') return 0;
  }
  return values[NAME].is && values[OBJECTIVE_TYPE].is && values[OBJECTIVE_ID].is;
}

/* Rows --------------------------------------------------------------------------------------------------------- */

/* The SQL function row_sum of the product: the CRC-32 of the names and values that are not null, as JSON. */
static void row_sum(sqlite3_context *context, int values, sqlite3_value **value) {
  static uint32_t table[256];
  static struct text json;
  if (!table[1])
    for (uint32_t byte = 0; byte < 256; byte++) {
      table[byte] = byte;
      for (int bit = 0; bit < 8; bit++) table[byte] = table[byte] >> 1 ^ (table[byte] & 1 ? 0xedb88320 : 0);
    }
  json.length = 0;
  for (int at = 0; at < values; at++) {
    if (at % 2 == 1 && sqlite3_value_type(value[at + 1]) == SQLITE_NULL) { at++; continue; }
    add(&json, at ? "," : "[", 1);
    if (sqlite3_value_type(value[at]) == SQLITE_INTEGER) add_number(&json, sqlite3_value_int64(value[at]));
    else add_string(&json, (const char *)sqlite3_value_text(value[at]), (size_t)sqlite3_value_bytes(value[at]));
  }
  add(&json, "]", 1);
  uint32_t sum = ~0u;
  for (size_t at = 0; at < json.length; at++) sum = table[(sum ^ (unsigned char)json.at[at]) & 255] ^ sum >> 8;
  sqlite3_result_int64(context, ~sum);
}

/* Runs a statement that gives at most one row. Returns SQLITE_ROW, with the row, SQLITE_DONE, or an error. */
static int run(sqlite3_stmt *statement) {
  int result = sqlite3_step(statement);
  if (result != SQLITE_ROW) sqlite3_reset(statement);
  return result;
}

static int has_row(sqlite3_stmt *statement) {
  int result = run(statement);
  if (result == SQLITE_ROW) sqlite3_reset(statement);
  return result == SQLITE_ROW;
}

static void bind_value(sqlite3_stmt *statement, int place, const struct value *value) {
  if (value->is == TEXT) sqlite3_bind_text(statement, place, value->text, (int)value->length, SQLITE_STATIC);
  else if (value->is == NOTHING) sqlite3_bind_null(statement, place);
  else sqlite3_bind_int64(statement, place, value->number);
}

/* Binds a text for searches: lower case and without the marks of Romanian letters. */
static void bind_folded(sqlite3_stmt *statement, int place, const struct value *value) {
  static const char *const LETTERS[] = {
    "ăa", "Ăa", "âa", "Âa", "îi", "Îi", "șs", "Șs", "țt", "Țt", "\u015fs", "\u015es", "\u0163t", "\u0162t"};
  if (value->is != TEXT) { sqlite3_bind_null(statement, place); return; }
  char folded[REQUEST_MAX], *to = folded;
  for (size_t at = 0; at < value->length; at++) {
    const char *from = value->text + at;
    char letter = *from >= 'A' && *from <= 'Z' ? (char)(*from + 32) : *from;
    if (*from & 0x80 && at + 1 < value->length)
      for (size_t each = 0; each < sizeof LETTERS / sizeof *LETTERS; each++)
        if (!memcmp(LETTERS[each], from, 2)) { letter = LETTERS[each][2]; at++; break; }
    *to++ = letter;
  }
  sqlite3_bind_text(statement, place, folded, (int)(to - folded), SQLITE_TRANSIENT);
}

/* Binds the milliseconds since 1970 of a date and time without an offset, in the time zone of the process. */
static int bind_instant(sqlite3_stmt *statement, int place, const struct value *value) {
  struct tm local = {.tm_isdst = -1};
  if (value->is != TEXT) return sqlite3_bind_null(statement, place) == SQLITE_OK;
  char text[20] = "";
  memcpy(text, value->text, value->length < 19 ? value->length : 19);
  if (value->length != 19 || strptime(text, "%Y-%m-%dT%H:%M:%S", &local) != text + 19) return 0;
  return sqlite3_bind_int64(statement, place, (sqlite3_int64)mktime(&local) * 1000) == SQLITE_OK;
}

/* A UUID of version 7, so that new rows lie side by side in its index. */
static void bind_uid(sqlite3_stmt *statement, int place, sqlite3_int64 now) {
  static unsigned char random[4096];
  static size_t left;
  if (left < 10 && getrandom(random, left = sizeof random, 0) < 0) fail("getrandom");
  const unsigned char *r = random + (left -= 10);
  char uid[37];
  snprintf(uid, sizeof uid, "%08llx-%04llx-7%01x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", now >> 16, now & 0xffff,
           r[0] & 15, r[1], 0x80 | (r[2] & 63), r[3], r[4], r[5], r[6], r[7], r[8], r[9]);
  sqlite3_bind_text(statement, place, uid, 36, SQLITE_TRANSIENT);
}

static sqlite3_int64 now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* Writes the rows of a record and leaves its JSON in `answer`. Returns the status of the answer. */
static int write_record(const struct value *values, struct text *answer) {
  char subject[40];
  struct text detail = {0};
  sqlite3_int64 now = now_ms();
  bind_value(objective, 1, &values[OBJECTIVE_TYPE]);
  bind_value(objective, 2, &values[OBJECTIVE_ID]);
  if (!has_row(objective)) return 404;
  bind_uid(insert, 1, now);
  sqlite3_bind_int64(insert, 2, now);
  if (!bind_instant(insert, 3, &values[START]) || !bind_instant(insert, 4, &values[END])) return 400;
  for (int field = 0; field < FIELDS; field++) bind_value(insert, 5 + field, &values[field]);
  bind_folded(insert, 5 + FIELDS, &values[NAME]);
  bind_folded(insert, 6 + FIELDS, &values[DESCRIPTION]);
  bind_folded(insert, 7 + FIELDS, &values[NOTES]);
  if (run(insert) != SQLITE_DONE) return 400;
  sqlite3_int64 id = sqlite3_last_insert_rowid(database);
  for (int place = 0; place < 3; place++) bind_value(count, place + 1, &values[STATUS + place]);
  sqlite3_bind_int64(queue, 1, id);
  sqlite3_bind_int(queue, 2, *values[PRIORITY].text == 'h' ? 0 : *values[PRIORITY].text == 'm' ? 1 : 2);
  add_record(answer, id, values);
  add_format(&detail, "{\"after\":");
  add(&detail, answer->at, answer->length);
  add(&detail, "}", 1);
  sqlite3_bind_int64(event, 1, now);
  sqlite3_bind_text(event, 2, subject, snprintf(subject, sizeof subject, "intervention %lld", id), SQLITE_STATIC);
  sqlite3_bind_text(event, 3, detail.at, (int)detail.length, free);
  return run(count) == SQLITE_DONE && run(queue) == SQLITE_DONE && run(event) == SQLITE_DONE ? 201 : 500;
}

/* Leaves the JSON of a record in `answer`. Returns the status of the answer. */
static int read_one(sqlite3_int64 id, struct text *answer) {
  struct value values[FIELDS];
  sqlite3_bind_int64(find, 1, id);
  if (run(find) != SQLITE_ROW) return 404;
  for (int field = 0; field < FIELDS; field++) {
    int type = sqlite3_column_type(find, field);
    struct value *value = &values[field];
    value->is = type == SQLITE_NULL ? NOTHING : type == SQLITE_TEXT ? TEXT : field >= POLICE ? FLAG : NUMBER;
    value->text = (const char *)sqlite3_column_text(find, field);
    value->length = (size_t)sqlite3_column_bytes(find, field);
    value->number = sqlite3_column_int64(find, field);
  }
  add_record(answer, id, values);
  sqlite3_reset(find);
  return 200;
}

/* HTTP --------------------------------------------------------------------------------------------------------- */

static void end(struct connection *connection) {
  close(connection->socket);
  free(connection->answer.at);
  free(connection);
}

/* Sends the answer and forgets the request. Returns whether the connection goes on. */
static int send_answer(struct connection *connection) {
  static struct text out;
  const struct text *body = &connection->answer;
  out.length = 0;
  int is_success = connection->status < 300;
  add_format(&out, "HTTP/1.1 %d \r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: %zu\r\n",
             connection->status, is_success ? body->length : 2);
  add_format(&out, connection->keep ? "\r\n" : "Connection: close\r\n\r\n");
  add(&out, is_success ? body->at : "{}", is_success ? body->length : 2);
  ssize_t sent = send(connection->socket, out.at, out.length, MSG_NOSIGNAL);
  connection->have -= connection->used;
  memmove(connection->in, connection->in + connection->used, connection->have + 1);
  connection->used = connection->answer.length = 0;
  if (sent == (ssize_t)out.length && connection->keep) return 1;
  end(connection);
  return 0;
}

static int starts(const char *line, const char *with) { return !strncasecmp(line, with, strlen(with)); }

/* Takes the requests that have come whole: answers a GET, and has a POST wait for the commit of this turn. */
static void take(struct connection *connection) {
  for (;;) {
    char *in = connection->in, *head = memmem(in, connection->have, "\r\n\r\n", 4);
    if (!head) break;
    size_t length = 0, head_length = (size_t)(head - in) + 4;
    int allowed = 0;
    connection->keep = 1;
    for (char *line = strchr(in, '\n') + 1; line < head + 2; line = strchr(line, '\n') + 1)
      if (starts(line, "content-length:")) length = strtoul(line + 15, NULL, 10);
      else if (starts(line, "connection: close")) connection->keep = 0;
      else if (starts(line, "authorization: bearer "))
        allowed = !strncmp(line + 22, token, token_length) && line[22 + token_length] == '\r';
    if (length > REQUEST_MAX - 1 - head_length) { end(connection); return; }
    if (connection->have < head_length + length) break;
    connection->used = head_length + length;
    connection->status = allowed && has_row(account) ? 404 : 401;
    if (connection->status == 404 && starts(in, "POST /interventii HTTP")) {
      char *body = in + head_length, next = body[length];
      body[length] = 0;
      int is_record = read_record(body, connection->values);
      body[length] = next;
      if (is_record) { waiting[waiting_count++] = connection; return; }
      connection->status = 400;
    } else if (connection->status == 404 && starts(in, "GET /interventii/"))
      connection->status = read_one(strtoll(in + 17, NULL, 10), &connection->answer);
    if (!send_answer(connection)) return;
  }
  if (connection->have == REQUEST_MAX - 1) end(connection);
}

/* Writes all records that wait in one transaction, and answers after its commit. */
static void commit_waiting(void) {
  int jobs = waiting_count;
  struct connection *committed[EVENTS_MAX];
  memcpy(committed, waiting, sizeof *waiting * (size_t)jobs);
  waiting_count = 0;
  if (run(begin) != SQLITE_DONE) fail("BEGIN");
  for (int job = 0; job < jobs; job++) {
    run(save);
    committed[job]->status = write_record(committed[job]->values, &committed[job]->answer);
    if (committed[job]->status != 201) run(undo);
    run(keep);
  }
  if (run(commit) != SQLITE_DONE) fail("COMMIT");
  for (int job = 0; job < jobs; job++)
    if (send_answer(committed[job])) take(committed[job]);
}

static void read_more(struct connection *connection) {
  ssize_t got = read(connection->socket, connection->in + connection->have, REQUEST_MAX - 1 - connection->have);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) { end(connection); return; }
  connection->in[connection->have += (size_t)got] = 0;
  take(connection);
}

static void prepare(sqlite3_stmt **statement, const char *sql) {
  if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL) != SQLITE_OK) fail(sql);
}

static void open_database(const char *path, const char *session_path) {
  static char session[1 << 16];
  FILE *file = fopen(session_path, "r");
  if (!file || !fread(session, 1, sizeof session - 1, file)) fail(session_path);
  fclose(file);
  if (sqlite3_open(path, &database) != SQLITE_OK) fail(path);
  sqlite3_create_function(database, "row_sum", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, row_sum, NULL, NULL);
  if (sqlite3_exec(database, session, NULL, NULL, NULL) != SQLITE_OK) fail(session_path);
  prepare(&begin, "BEGIN IMMEDIATE");
  prepare(&commit, "COMMIT");
  prepare(&save, "SAVEPOINT part");
  prepare(&keep, "RELEASE part");
  prepare(&undo, "ROLLBACK TO part");
  prepare(&account, "SELECT 1 FROM accounts WHERE id = 1 AND disabled = 0");
  prepare(&objective, "SELECT 1 FROM objectives WHERE kind = ? AND id = ?");
  prepare(&insert, "INSERT INTO interventions(dispeceratId, created_by, uid, created_at, updated_at, dateStartMs,"
    " dateEndMs, name, description, dateStart, dateEnd, status, priority, type, objectiveType, objectiveId, crews,"
    " police, ambulance, firetruck, notes, nameFolded, descriptionFolded, notesFolded)"
    " VALUES(1, 1, ?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)");
  prepare(&queue, "INSERT INTO outbox(intervention_id, phase, rank, want_rev, doubted, watermark)"
    " SELECT interventions.id, 'new', ?2, 1, sought.watermark IS NOT NULL, sought.watermark"
    " FROM interventions LEFT JOIN sought_records AS sought USING (uid) WHERE interventions.id = ?1");
  prepare(&count, "INSERT INTO intervention_counts VALUES(?, ?, ?, 1)"
    " ON CONFLICT DO UPDATE SET records = records + 1");
  prepare(&event, "INSERT INTO events(at, event, who, origin, subject, detail)"
    " VALUES(?, 'intervention-created', 'bench', '', ?, ?)");
  prepare(&find, "SELECT name, description, dateStart, dateEnd, status, priority, type, objectiveType, objectiveId, crews,"
    " police, ambulance, firetruck, notes FROM interventions WHERE id = ? AND deleted_at IS NULL");
}

int main(int words, char **word) {
  if (words != 5) { fprintf(stderr, "floor-c PORT DATABASE SESSION TOKEN\n"); return 2; }
  token_length = strlen(token = word[4]);
  open_database(word[2], word[3]);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(word[1]))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int on = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), poll = epoll_create1(0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, BACKLOG)) fail("listen");
  struct epoll_event events[EVENTS_MAX], wanted = {.events = EPOLLIN, .data.ptr = NULL};
  epoll_ctl(poll, EPOLL_CTL_ADD, listener, &wanted);
  for (;;) {
    int ready = epoll_wait(poll, events, EVENTS_MAX, -1);
    for (int at = 0; at < ready; at++) {
      if (events[at].data.ptr) { read_more(events[at].data.ptr); continue; }
      for (int socket; (socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct connection *connection = malloc(sizeof *connection);
        if (!connection) fail("memory");
        memset(connection, 0, offsetof(struct connection, in));
        wanted.data.ptr = connection;
        connection->socket = socket;
        epoll_ctl(poll, EPOLL_CTL_ADD, socket, &wanted);
      }
    }
    /* After its answer a connection may have the next request there already. */
    while (waiting_count > 0) commit_waiting();
  }
}
