import type { OrganizationRole, Principal } from '@reticle/contracts/rest/principal'
import type { CallContext } from '@reticle/kit'
import { callAs } from '@reticle/kit/testing/call'
import type { ProjectsSettings } from '../config.ts'
import { type TestUser, testWorkspace } from './workspace.ts'

/** Sets up a workspace with organizations. */
export async function testOrganizations(
  settings: Partial<ProjectsSettings> = {},
  given: Parameters<typeof testWorkspace>[1] = {},
) {
  const workspace = await testWorkspace(settings, given)
  const { db, addUser } = workspace
  let count = 0

  /** Returns the context of a call with the current roles of the user; `scope` is the workspace of the request. */
  const as = async ({ id, call }: TestUser, scope?: number | null): Promise<CallContext> => {
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

  /** Adds a user with that role in the organization; an inactive one has not accepted the invitation. */
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

  /** Adds an organization of a new user, named `org<number>`. */
  const addOrganization = async () => {
    const owner = await addUser()
    const { organizations } = workspace.over('in-process')
    const body = { slug: `org${++count}` }
    const { id, slug } = await organizations.createOrganization({ body }, owner.call)
    return { id, slug, owner }
  }

  return { ...workspace, as, addMember, addOrganization }
}
