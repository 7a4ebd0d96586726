import { listRelations, type Standing } from '@reticle/kit/call/policy'
import { standingIn } from '../../access/roles.ts'
import type { Caller } from '../../access/standing.ts'

/** Returns the relations of a caller to a cloud storage. */
export function cloudStorageStanding(
  caller: Caller,
  { owner_id, organization_id }: { owner_id: number | null; organization_id: number | null },
): Standing {
  const relations = listRelations({ 'storage owner': owner_id === caller.user_id })
  const standing = standingIn(caller, organization_id, relations)
  const isSupervisor = standing.organization_role === 'supervisor'
  if (!isSupervisor || caller.role !== 'user') return standing
  return { ...standing, relations: [...standing.relations, 'supervising user'] }
}
