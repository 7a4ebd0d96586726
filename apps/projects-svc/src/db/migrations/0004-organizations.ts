import { indexStep, type MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Organizations, memberships and invitations. */
const statements = [
  `create table if not exists organizations (
    id integer generated always as identity primary key,
    slug text not null,
    name text not null,
    description text not null default '',
    contact jsonb not null default '{}',
    owner_id integer references users on delete set null,
    created_date timestamptz(3) not null default now(),
    updated_date timestamptz(3) not null default now()
  )`,
  'create unique index if not exists organizations_slug_key on organizations (lower(slug))',
  'create index if not exists organizations_owner_id_idx on organizations (owner_id)',

  `create table if not exists memberships (
    id integer generated always as identity primary key,
    organization_id integer not null references organizations on delete cascade,
    user_id integer not null references users on delete cascade,
    role text not null
      constraint memberships_role_check check (role in ('owner', 'maintainer', 'supervisor', 'worker')),
    is_active boolean not null,
    joined_date timestamptz(3),
    constraint memberships_user_id_organization_id_key unique (user_id, organization_id)
  )`,
  'create index if not exists memberships_organization_id_idx on memberships (organization_id, id)',

  `create table if not exists invitations (
    id integer generated always as identity primary key,
    key text not null constraint invitations_key_key unique,
    membership_id integer not null references memberships on delete cascade
      constraint invitations_membership_id_key unique,
    owner_id integer references users on delete set null,
    created_date timestamptz(3) not null,
    sent_date timestamptz(3)
  )`,
  'create index if not exists invitations_owner_id_idx on invitations (owner_id)',
]

/** Indexes of tables with rows, built without blocking reads and writes. */
const indexes = [
  indexStep('projects_organization_id_idx', sql`projects (organization_id)`),
  indexStep('tasks_organization_id_idx', sql`tasks (organization_id)`),
]

/** Every statement can be repeated, because the indexes cannot be built in a transaction. */
export const organizations: MigrationStep = {
  transactional: false,
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
    for (const index of indexes) await index.up(db)
  },
}
