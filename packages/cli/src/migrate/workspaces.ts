import type { Client, CloudStorage, Membership, Organization } from '@reticle/sdk'
import { Failure } from '../failures/failure.ts'
import { type Migration, type MigrationWorkspace, migrateObject } from './migration.ts'

/** Organizations with their members, and the cloud storages of a workspace. */

export interface WorkspaceSelection {
  /** Returns a client of the source for a workspace. */
  open: (organization: string) => Client
  /** Slugs to migrate; empty text is the personal workspace. Undefined: all. */
  only: readonly string[] | undefined
  /** Slug of the target organization for the personal workspace; empty: the personal workspace. */
  into: string
}

/** Yields the workspaces of the source after they were created at the target. @throws Failure for an unknown slug */
export async function* workspacesOf(
  migration: Migration,
  { open, only, into }: WorkspaceSelection,
): AsyncGenerator<MigrationWorkspace> {
  const { signal } = migration.session
  const isWanted = (slug: string) => only === undefined || only.includes(slug)
  const there: Organization[] = []
  for await (const one of open('').listOrganizations.each({ sort: 'id' }, { signal }))
    there.push(one)
  const unknown = only?.find((slug) => slug !== '' && !there.some((one) => one.slug === slug))
  if (unknown !== undefined)
    throw new Failure(`The source has no organization "${unknown}" that you may see`, {
      ending: 'missing',
      hint: `There is: ${there.map(({ slug }) => slug).join(', ') || 'none'}`,
    })
  if (isWanted('')) yield { source: open(''), organization: into }
  for (const organization of there.filter(({ slug }) => isWanted(slug))) {
    const source = open(organization.slug)
    const to = await migrateOrganization(migration, source, organization)
    if (to !== undefined) yield { source, organization: to }
  }
}

/** Creates an organization, or uses an existing one with the same slug. @returns its slug at the target */
async function migrateOrganization(
  migration: Migration,
  source: Client,
  { slug, name, description, contact }: Organization,
): Promise<string | undefined> {
  const { target, ledger, session } = migration
  const { signal, progress } = session
  const of = { kind: 'organization', from: slug, name: name || slug } as const
  progress.step(`Organization ${of.name}`)
  await migrateObject(migration, of, async () => {
    const { results } = await target.listOrganizations({ slug }, { signal })
    if (!results.some((one) => one.slug === slug)) {
      const idempotency_key = await ledger.keyOf('organization', slug)
      const body = { slug, name, description, contact }
      await target.createOrganization({ body }, { signal, idempotency_key })
    }
    await ledger.note('organization', slug, { to: slug })
    await migrateMembers(migration, source, slug)
  })
  return ledger.find('organization', slug).to === slug ? slug : undefined
}

async function migrateMembers(migration: Migration, source: Client, slug: string): Promise<void> {
  const { target, people, session, ledger } = migration
  const { signal } = session
  const members = new Set<string>()
  for await (const { user } of target.listMemberships.each({}, { signal, organization: slug }))
    members.add(user.username.toLowerCase())
  for await (const membership of source.listMemberships.each({}, { signal })) {
    const { id, user } = membership
    const isMember = members.has((people.nameOf(user.username) ?? '').toLowerCase())
    const of = { kind: 'membership', from: id, name: `${user.username} in ${slug}` } as const
    await migrateObject(migration, of, async () => {
      if (!isMember && !(await invite(migration, membership, slug))) return
      await ledger.note('membership', id, { to: slug })
      await ledger.removeProblem('membership', id, 'no_user')
    })
  }
}

/**
 * Invites a user with an account, which makes the user a member at once. The user that runs the migration is the
 * owner, so a former owner gets the next lower role.
 *
 * @returns false for a user without an account
 */
async function invite(
  { target, people, ledger, session }: Migration,
  { id, user, role }: Membership,
  slug: string,
): Promise<boolean> {
  const { signal } = session
  const email = (await people.find(user.username, ''))?.email
  if (!email) {
    const reason = `no account here has the name ${people.nameOf(user.username) ?? user.username}, or you may not see its address`
    await ledger.recordProblem('membership', id, { what: 'left', code: 'no_user', reason })
    return false
  }
  const body = { email, role: role === 'owner' ? ('maintainer' as const) : role }
  const idempotency_key = await ledger.keyOf('membership', id)
  await target.createInvitation({ body }, { signal, organization: slug, idempotency_key })
  if (role !== body.role) {
    const reason = 'was the owner, and is a maintainer: `reticle org transfer` makes them the owner'
    await ledger.recordProblem('membership', id, { what: 'left', code: 'owner', reason })
  }
  return true
}

/**
 * Migrates the cloud storages of a workspace. Servers do not return their credentials, so the user has to supply
 * them.
 */
export async function migrateStorages(
  migration: Migration,
  workspace: MigrationWorkspace,
): Promise<void> {
  const { signal } = migration.session
  for await (const storage of workspace.source.listCloudStorages.each({ sort: 'id' }, { signal }))
    await migrateObject(
      migration,
      { kind: 'cloud_storage', from: storage.id, name: storage.display_name },
      () => migrateStorage(migration, workspace, storage),
    )
}

async function migrateStorage(
  migration: Migration,
  { organization }: MigrationWorkspace,
  { id, ...storage }: CloudStorage,
): Promise<void> {
  const { target, ledger, secrets, session } = migration
  if (ledger.find('cloud_storage', id).to) return
  const given = secrets.cloud_storages[id]
  if (!given && storage.credentials_type !== 'ANONYMOUS_ACCESS') {
    const reason = `the source does not return its credentials: set them in --secrets, as {"cloud_storages": {"${id}": {...}}}`
    await ledger.recordProblem('cloud_storage', id, {
      what: 'left',
      code: 'no_credentials',
      reason,
    })
    return
  }
  await ledger.removeProblem('cloud_storage', id, 'no_credentials')
  const { provider_type, resource, display_name, description } = storage
  const { credentials_type, specific_attributes, manifests } = storage
  const body = {
    provider_type,
    resource,
    display_name,
    description,
    credentials_type,
    specific_attributes,
    manifests,
    ...given,
  }
  const idempotency_key = await ledger.keyOf('cloud_storage', id)
  const options = { signal: session.signal, organization, idempotency_key }
  const made = await target.createCloudStorage({ body }, options)
  await ledger.note('cloud_storage', id, { to: made.id })
}
