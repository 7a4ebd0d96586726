import type { organizations } from '@reticle/contracts/api/organizations'
import type { Service } from '@reticle/kit'
import type { OrganizationDeps } from './deps.ts'
import { invitationHandlers } from './invitations/rpc.ts'
import { membershipHandlers } from './memberships/rpc.ts'
import { organizationRecordHandlers } from './organizations.ts'
import { findOrganization, findOrganizationBySlug } from './repo.ts'
import { noSuchOrganization } from './roles.ts'

/** Builds all handlers of the operation table `organizations`. */
export function organizationHandlers(deps: OrganizationDeps): Service<typeof organizations> {
  return {
    ...organizationRecordHandlers(deps),
    ...membershipHandlers(deps),
    ...invitationHandlers(deps),

    async findWorkspace({ slug = '', organization_id }) {
      const found =
        organization_id === undefined
          ? await findOrganizationBySlug(deps.db, slug)
          : await findOrganization(deps.db, organization_id)
      if (!found) throw noSuchOrganization(organization_id ?? slug)
      return { organization_id: found.id }
    },
  }
}
