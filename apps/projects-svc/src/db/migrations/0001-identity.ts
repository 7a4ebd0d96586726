import { outboxTables } from '@reticle/kit/outbox/tables'
import { type Kysely, sql } from 'kysely'

/** Users and their credentials. Of every secret only a hash is stored. */
const statements = [
  `create table users (
    id integer generated always as identity primary key,
    username text not null,
    email text not null,
    first_name text not null default '',
    last_name text not null default '',
    password_hash text not null,
    role text constraint users_role_check check (role in ('admin', 'user', 'worker')),
    is_active boolean not null default true,
    is_staff boolean not null default false,
    is_superuser boolean not null default false,
    is_email_verified boolean not null default false,
    date_joined timestamptz(3) not null default now(),
    last_login timestamptz(3)
  )`,
  'create unique index users_username_key on users (lower(username))',
  "create unique index users_email_key on users (lower(email)) where email <> ''",

  `create table access_tokens (
    id integer generated always as identity primary key,
    owner_id integer not null references users on delete cascade,
    name text not null,
    prefix text not null,
    token_hash bytea not null,
    read_only boolean not null,
    expiry_date timestamptz(3),
    last_used_date timestamptz(3),
    revoked_date timestamptz(3),
    created_date timestamptz(3) not null,
    updated_date timestamptz(3) not null
  )`,
  'create unique index access_tokens_token_hash_key on access_tokens (token_hash)',
  'create index access_tokens_owner_id_idx on access_tokens (owner_id, id)',

  `create table auth_tokens (
    id integer generated always as identity primary key,
    user_id integer not null references users on delete cascade,
    token_hash bytea not null,
    created_date timestamptz(3) not null
  )`,
  'create unique index auth_tokens_token_hash_key on auth_tokens (token_hash)',
  'create index auth_tokens_user_id_idx on auth_tokens (user_id)',

  `create table password_failures (
    id integer generated always as identity primary key,
    address text not null,
    username text not null,
    failed_date timestamptz(3) not null
  )`,
  'create index password_failures_username_idx on password_failures (username, address, failed_date)',
  'create index password_failures_failed_date_idx on password_failures (failed_date)',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  await outboxTables(db, 'projects')
  for (const statement of statements) await sql.raw(statement).execute(db)
}
