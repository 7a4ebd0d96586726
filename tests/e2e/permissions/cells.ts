import { restOperations } from '@reticle/contracts'
import { isGranted, type ObjectRelation } from './meaning.ts'
import type { Cell } from './member-cells.ts'
import { addressOf, probesOn, relationsOf } from './probes.ts'
import { findChain, type PermissionWorld } from './world.ts'

/** Builds every cell about objects on chains: role x relation x workspace x action. */
export function chainCells(worlds: readonly PermissionWorld[]): Cell[] {
  return worlds.flatMap((world) =>
    world.actors.flatMap((actor) =>
      world.relations.flatMap((relation) => {
        const chain = findChain(world, actor, relation)
        if (!chain) return []
        const person = { role: actor.role, member: actor.member, relation }
        return probesOn(chain)
          .filter((probe) => relationsOf(probe).some((one: ObjectRelation) => one === relation))
          .map(({ row, ...probe }): Cell => ({ row, person, as: actor.api, probe }))
      }),
    ),
  )
}

/** Returns the fault of the answer to a cell in one line, or undefined if it matches the table. */
export async function wrongAt(cell: Cell): Promise<string | undefined> {
  const { row, person, as, probe } = cell
  const { permitted } = probe
  const [method, address] = await addressOf(probe)
  const answer = await as.call(method, address, probe.sent)
  const isPermitted = isGranted(row, person)
  if (permitted === 'listed') {
    if (answer.status === 200 && answer.body.count === Number(isPermitted)) return undefined
  } else if (answer.status === (isPermitted ? permitted : refusal(cell))) return undefined
  const who = `${person.role}, ${person.member ?? 'sandbox'}, ${person.relation}`
  const text = `${answer.status} ${answer.text.slice(0, 160)}`
  return `${row} | ${who} | ${method} ${address} is ${isPermitted ? '' : 'not '}permitted: ${text}`
}

const namesForeign = ({ member }: Cell['person'], { query = '' }: Cell['probe']) =>
  member === 'outside' && /\borg(?:_id)?=\w/.test(query)

/**
 * A hidden organization, membership or invitation is answered like one that does not exist, also if the query names it.
 */
function refusal({ row, person, probe }: Cell): 403 | 404 {
  const { path } = restOperations.find(({ name }) => name === probe.operation) ?? { path: '' }
  if (namesForeign(person, probe)) return 404
  if (path.startsWith('/organizations/:')) return person.member === 'outside' ? 404 : 403
  if (path.startsWith('/memberships/:')) {
    const isActive = person.relation === 'owner of it' || person.relation === 'self'
    const view = isActive ? 'membership: list, view' : 'membership: list, view: not accepted'
    return isGranted(view, person) ? 403 : 404
  }
  if (!path.startsWith('/invitations/:')) return 403
  return row !== 'invitation: list, view' && isGranted('invitation: list, view', person) ? 403 : 404
}
