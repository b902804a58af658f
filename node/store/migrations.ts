import { ColaError } from "../../src/errors.ts";
import { type Database, takeTurn } from "./database.ts";

/** The schema, step by step; a published step is never edited, a change is a new step. */
const MIGRATIONS: readonly string[] = [
  `create table resources (
     owner text not null,
     id text not null,
     kind text not null check (kind in ('data', 'model', 'constraints')),
     name text not null,
     ref text not null,
     bytes bigint not null,
     about text not null,
     created_at timestamptz not null default now(),
     primary key (owner, id)
   );
   create table jobs (
     id uuid primary key,
     owner text not null,
     state text not null check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
     recipe text not null,
     attempt integer not null default 0,
     crashes integer not null default 0,
     error text,
     created_at timestamptz not null default now(),
     started_at timestamptz,
     finished_at timestamptz
   );
   create index jobs_by_owner on jobs (owner, created_at desc, id);
   create index jobs_open on jobs (state) where state in ('queued', 'running');
   create table explanations (
     id uuid primary key,
     owner text not null,
     recipe text not null,
     result text not null,
     run_hash text not null,
     audit_seq bigint not null unique,
     created_at timestamptz not null default now()
   );
   create table idempotency (
     owner text not null,
     key text not null,
     digest text not null,
     answer uuid,
     created_at timestamptz not null default now(),
     primary key (owner, key)
   );
   create table audit (
     seq bigint primary key,
     record text not null,
     hash text not null unique
   );
   create function audit_is_append_only() returns trigger language plpgsql as
     $$ begin raise exception 'the audit trail is append-only'; end $$;
   create trigger audit_append_only before update or delete or truncate on audit
     for each statement execute function audit_is_append_only();`,
  `alter table resources drop constraint resources_kind_check;
   alter table resources add constraint resources_kind_check
     check (kind in ('data', 'model', 'constraints', 'counterfactuals'));`,
  `create table inline_files (
     owner text not null,
     ref text not null,
     bytes bigint not null,
     primary key (owner, ref)
   );
   create index resources_by_owner on resources (owner, kind, created_at desc, id);`,
  `alter table jobs add column worker text, add column shared boolean not null default false,
     add column lease_until timestamptz, add column progress text;
   alter table idempotency add column claim uuid, add column lease_until timestamptz;
   create table reserved (
     id uuid primary key,
     owner text not null,
     bytes bigint not null,
     lease_until timestamptz not null
   );
   create table blobs (
     ref text primary key,
     bytes bigint not null,
     touched_at timestamptz not null default now()
   );
   create table blob_chunks (
     ref text not null references blobs on delete cascade,
     number integer not null,
     bytes bytea not null,
     primary key (ref, number)
   );
   create table audit_head (
     one boolean primary key default true check (one),
     seq bigint not null,
     hash text not null
   );
   insert into audit_head (seq, hash)
     select seq, hash from (select seq, hash from audit order by seq desc limit 1) as newest
     union all select 0, repeat('0', 64) where not exists (select from audit);
   drop schema if exists pgboss cascade;`,
  `alter table audit add column signature text;
   alter table audit_head add column signature text;
   create table forgetting (
     one boolean primary key default true check (one),
     clock timestamptz not null
   );`,
  `create unlogged table rates (
     owner text primary key,
     count integer not null,
     until timestamptz not null
   );`,
  `alter table jobs add column parent uuid references jobs on delete cascade deferrable initially deferred,
     add column number integer, add column plan text, add column result text;
   create index jobs_by_parent on jobs (parent, number) where parent is not null;`,
];

/** The newest schema. */
export const SCHEMA = MIGRATIONS.length;

/**
 * Brings a database to the newest schema, all steps or none. Of many processes that start at once, one does it and
 * the others wait.
 */
export async function migrate(db: Database, newest = SCHEMA): Promise<void> {
  await db.transaction(async (sql) => {
    await takeTurn(sql, "schema");
    await sql.script(
      "create table if not exists migrations (version integer primary key, applied_at timestamptz not null default now())",
    );
    const rows = await sql.query<{ version: number }>("select max(version) as version from migrations");
    const had = rows[0]?.version ?? 0;
    if (had > SCHEMA)
      throw new ColaError(
        "OPTION_INVALID",
        `store: it was written by a newer version of cola (schema ${had}, this one knows ${SCHEMA}); use that version.`,
        { schema: had },
      );
    for (let version = had + 1; version <= newest; version++) {
      await sql.script(MIGRATIONS[version - 1]!);
      await sql.query("insert into migrations (version) values ($1)", [version]);
    }
  });
}
