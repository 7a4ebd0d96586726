import type { Principal } from '@reticle/contracts/rest/principal'
import { invalidText } from '@reticle/kit/call/errors'
import type { Transaction } from 'kysely'
import type { Owner } from '../access/owner.ts'
import type { MoveTarget } from '../access/workspace-move.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { checkStorages } from './check.ts'
import { listEqualStorages } from './cloud/repo.ts'
import { planStorages } from './plan.ts'
import { listStoragesOf, type StorageChange, setStorages, storageOf } from './repo.ts'

type Bodies = Parameters<typeof planStorages>[0]
type Tx = Transaction<ProjectsDb>

/**
 * Sets the storages of objects that move into another workspace: the body sets those of `main`, local ones stay, and
 * each cloud storage is replaced by the single equal one of the new workspace.
 *
 * @param children objects that move with `main`
 * @throws DomainError invalid when a cloud storage has no equal there, or more than one; and as `checkStorages` does
 */
export async function carryStorages(
  tx: Tx,
  principal: Principal,
  { main, body, children }: { main: Owner; body: Bodies; children: readonly Owner[] },
  workspace: MoveTarget,
): Promise<void> {
  const { organization_id } = workspace
  const given = await checkStorages(tx, principal, planStorages(body), organization_id)
  const named = new Set(given.map(({ purpose }) => purpose))
  const owners = [main, ...children]
  const storages = await listStoragesOf(tx, owners)
  const findEqual = findEqualsIn(tx, workspace)
  for (const owner of owners) {
    const changes: StorageChange[] = owner === main ? [...given] : []
    for (const purpose of ['source', 'target'] as const) {
      if (owner === main && named.has(purpose)) continue
      const id = storageOf(storages, owner, purpose)?.cloud_storage_id ?? null
      if (id === null) continue
      const cloud_storage_id = await findEqual(id)
      changes.push({ purpose, location: 'cloud_storage', cloud_storage_id })
    }
    await setStorages(tx, owner, changes)
  }
}

/** Each storage is searched once. */
function findEqualsIn(tx: Tx, workspace: MoveTarget): (id: number) => Promise<number> {
  const known = new Map<number, number>()
  return async (id) => {
    const [found, another] = known.has(id)
      ? [known.get(id)]
      : await listEqualStorages(tx, id, workspace)
    if (found === undefined || another !== undefined)
      throw invalidText('Could not find a similar cloud storage in the new workspace')
    known.set(id, found)
    return found
  }
}
