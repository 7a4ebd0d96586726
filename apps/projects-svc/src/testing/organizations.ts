import type { OrganizationRole, Principal } from '@reticle/contracts/principal'
import type { Context } from '@reticle/kit'
import { callAs } from '@reticle/kit/testing/call'
import type { ProjectsSettings } from '../config.ts'
import { type TestUser, testWorkspace } from './workspace.ts'

/** A workspace with organizations in it. */
export async function testOrganizations(
  settings: Partial<ProjectsSettings> = {},
  given: Parameters<typeof testWorkspace>[1] = {},
) {
  const workspace = await testWorkspace(settings, given)
  const { db, addUser } = workspace
  let count = 0

  /** A call of a user with the roles that they have now; `scope` is the workspace that it names. */
  const as = async ({ id, call }: TestUser, scope?: number | null): Promise<Context> => {
    const rows = await db
      .selectFrom('memberships')
      .select(['organization_id', 'role'])
      .where('user_id', '=', id)
      .where('is_active', '=', true)
      .execute()
    const organization_roles = Object.fromEntries(
      rows.map(({ organization_id, role }) => [organization_id, role]),
    )
    const named = scope === undefined ? null : { organization_id: scope }
    return callAs({ ...call.principal, organization_roles, scope: named })
  }

  /** Somebody with that role in the organization; one who is not active was only asked. */
  const addMember = async (
    organization_id: number,
    role: OrganizationRole,
    global: Principal['role'] = 'user',
    is_active = true,
  ) => {
    const user = await addUser(global)
    const joined_date = is_active ? new Date() : null
    const { id: membership_id } = await db
      .insertInto('memberships')
      .values({ organization_id, user_id: user.id, role, is_active, joined_date })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { ...user, call: user.call, membership_id }
  }

  /** An organization of a new user, called `org<number>`. */
  const addOrganization = async () => {
    const owner = await addUser()
    const { organizations } = workspace.over('in-process')
    const body = { slug: `org${++count}` }
    const { id, slug } = await organizations.createOrganization({ body }, owner.call)
    return { id, slug, owner }
  }

  return { ...workspace, as, addMember, addOrganization }
}
