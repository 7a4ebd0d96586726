-- The schemas of Reticle and the two roles of each: reticle_<schema>_owner migrates it, reticle_<schema> reads and writes its
-- rows. Run it once in an empty database as an administrator; it may be run again, also to change passwords. Each role has a
-- separate password, from the setting with its name: reticle.projects_password, reticle.projects_owner_password, and so on.
--   PGOPTIONS="-c reticle.projects_password=... -c reticle.projects_owner_password=... ..." psql -f roles.sql postgresql://admin@host/reticle
-- docs/operations.md (Helm) has commands that create all of them.
do $$
declare
  schema_name text;
  owner_name text;
  writer_name text;
  role_name text;
  role_password text;
  passwords text[] := '{}';
  rows constant text := 'select, insert, update, delete';
begin
  revoke create on schema public from public;
  -- For the search for frames by name. Every PostgreSQL includes it, but owners of schemas may not create it.
  create extension if not exists pg_trgm schema public;
  foreach schema_name in array array['projects', 'annotations', 'requests', 'webhooks'] loop
    owner_name := format('reticle_%s_owner', schema_name);
    writer_name := format('reticle_%s', schema_name);
    foreach role_name in array array[owner_name, writer_name] loop
      -- reticle_projects_owner: reticle.projects_owner_password
      role_password := current_setting(regexp_replace(role_name, '^reticle_', 'reticle.') || '_password', true);
      if coalesce(role_password, '') = '' then
        raise exception 'The role % has no password: set %_password', role_name, regexp_replace(role_name, '^reticle_', 'reticle.');
      end if;
      if role_password = any (passwords) then
        raise exception 'The role % has the password of another role: give each its own', role_name;
      end if;
      passwords := passwords || role_password;
      if not exists (select from pg_roles where rolname = role_name) then
        execute format('create role %I', role_name);
      end if;
      execute format('alter role %I with login password %L', role_name, role_password);
      execute format('alter role %I set search_path = %I', role_name, schema_name);
    end loop;
    -- An administrator without superuser rights may assign a schema only to a role of which it is a member.
    if not (select rolsuper from pg_roles where rolname = current_user) then
      execute format('grant %I to current_user', owner_name);
    end if;
    execute format('create schema if not exists %I authorization %I', schema_name, owner_name);
    execute format('revoke all on schema %I from public', schema_name);
    execute format('grant usage on schema %I to %I', schema_name, writer_name);
    execute format('grant %s on all tables in schema %I to %I', rows, schema_name, writer_name);
    execute format('grant usage, select on all sequences in schema %I to %I', schema_name, writer_name);
    execute format('alter default privileges for role %I in schema %I grant %s on tables to %I',
      owner_name, schema_name, rows, writer_name);
    execute format('alter default privileges for role %I in schema %I grant usage, select on sequences to %I',
      owner_name, schema_name, writer_name);
  end loop;
end
$$;
