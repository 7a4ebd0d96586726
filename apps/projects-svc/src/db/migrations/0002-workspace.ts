import { type Kysely, sql } from 'kysely'

/** Projects, labels, tasks, jobs and their media. */
const statements = [
  `create table projects (
    id integer generated always as identity primary key,
    name text not null,
    owner_id integer references users on delete set null,
    assignee_id integer references users on delete set null,
    assignee_updated_date timestamptz(3),
    status text not null default 'annotation'
      constraint projects_status_check check (status in ('annotation', 'validation', 'completed')),
    bug_tracker text not null default '',
    organization_id integer,
    labels_revision integer not null default 0,
    created_date timestamptz(3) not null default now(),
    updated_date timestamptz(3) not null default now()
  )`,
  'create index projects_owner_id_idx on projects (owner_id)',
  'create index projects_assignee_id_idx on projects (assignee_id)',

  `create table tasks (
    id integer generated always as identity primary key,
    name text not null,
    project_id integer references projects on delete cascade,
    owner_id integer references users on delete set null,
    assignee_id integer references users on delete set null,
    assignee_updated_date timestamptz(3),
    status text not null default 'new'
      constraint tasks_status_check check (status in ('new', 'annotation', 'validation', 'completed')),
    bug_tracker text not null default '',
    subset text not null default '',
    overlap integer,
    segment_size integer not null default 0,
    size integer not null default 0,
    mode text not null default ''
      constraint tasks_mode_check check (mode in ('', 'annotation', 'interpolation')),
    dimension text not null default '2d'
      constraint tasks_dimension_check check (dimension in ('2d', '3d')),
    media_type text not null default ''
      constraint tasks_media_type_check check (media_type in ('', 'image', 'point_cloud')),
    organization_id integer,
    labels_revision integer not null default 0,
    created_date timestamptz(3) not null default now(),
    updated_date timestamptz(3) not null default now()
  )`,
  'create index tasks_project_id_idx on tasks (project_id, id)',
  'create index tasks_owner_id_idx on tasks (owner_id)',
  'create index tasks_assignee_id_idx on tasks (assignee_id)',

  `create table jobs (
    id integer generated always as identity primary key,
    task_id integer not null references tasks on delete cascade,
    type text not null default 'annotation'
      constraint jobs_type_check check (type in ('annotation', 'ground_truth', 'consensus_replica')),
    stage text not null default 'annotation'
      constraint jobs_stage_check check (stage in ('annotation', 'validation', 'acceptance')),
    state text not null default 'new'
      constraint jobs_state_check check (state in ('new', 'in progress', 'completed', 'rejected')),
    status text not null default 'annotation'
      constraint jobs_status_check check (status in ('annotation', 'validation', 'completed')),
    assignee_id integer references users on delete set null,
    assignee_updated_date timestamptz(3),
    start_frame integer not null,
    stop_frame integer not null,
    parent_job_id integer references jobs on delete cascade,
    created_date timestamptz(3) not null default now(),
    updated_date timestamptz(3) not null default now()
  )`,
  'create index jobs_task_id_idx on jobs (task_id, id)',
  'create index jobs_assignee_id_idx on jobs (assignee_id)',
  'create index jobs_parent_job_id_idx on jobs (parent_job_id)',

  // A sublabel names its owner as well as its parent, so that one condition finds all labels of an owner.
  `create table labels (
    id integer generated always as identity primary key,
    project_id integer references projects on delete cascade,
    task_id integer references tasks on delete cascade,
    parent_id integer references labels on delete cascade,
    name text not null,
    color text not null,
    type text not null default 'any'
      constraint labels_type_check check (type in ('any', 'cuboid', 'ellipse', 'mask', 'points',
        'polygon', 'polyline', 'rectangle', 'skeleton', 'tag')),
    svg text,
    constraint labels_owner_check check (num_nonnulls(project_id, task_id) = 1),
    constraint labels_name_key unique nulls not distinct (project_id, task_id, parent_id, name)
      deferrable initially deferred
  )`,
  'create index labels_task_id_idx on labels (task_id)',
  'create index labels_parent_id_idx on labels (parent_id)',

  `create table attributes (
    id integer generated always as identity primary key,
    label_id integer not null references labels on delete cascade,
    name text not null,
    mutable boolean not null,
    input_type text not null
      constraint attributes_input_type_check
        check (input_type in ('checkbox', 'radio', 'number', 'text', 'select')),
    default_value text not null,
    "values" text[] not null,
    constraint attributes_name_key unique (label_id, name) deferrable initially deferred
  )`,

  `create table storages (
    id integer generated always as identity primary key,
    project_id integer references projects on delete cascade,
    task_id integer references tasks on delete cascade,
    purpose text not null
      constraint storages_purpose_check check (purpose in ('source', 'target')),
    location text not null
      constraint storages_location_check check (location in ('local', 'cloud_storage')),
    cloud_storage_id integer,
    constraint storages_owner_check check (num_nonnulls(project_id, task_id) = 1),
    constraint storages_purpose_key unique nulls not distinct (project_id, task_id, purpose)
  )`,
  'create index storages_task_id_idx on storages (task_id)',

  `create table data_sets (
    task_id integer primary key references tasks on delete cascade,
    image_quality smallint not null,
    chunk_size integer not null,
    start_frame integer not null,
    stop_frame integer not null,
    frame_filter text not null default '',
    data_revision integer not null default 1,
    chunks_updated_date timestamptz(3) not null default now()
  )`,

  // Columns match the frame source of contracts: object key, byte range and packing of an image.
  `create table frames (
    task_id integer not null references data_sets on delete cascade,
    frame integer not null,
    name text not null,
    width integer not null,
    height integer not null,
    key text not null,
    "offset" bigint not null,
    length bigint not null,
    packing text not null
      constraint frames_packing_check check (packing in ('stored', 'deflated')),
    media_type text not null,
    primary key (task_id, frame)
  )`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
