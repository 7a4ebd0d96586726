import { rectangle } from '../support/factories.ts'
import { boxesOf, differences, freeBox } from './boxes.ts'
import { count, type Task } from './ledger.ts'
import type { Caller } from './person.ts'
import type { Worker } from './worker.ts'

/** Number of annotation writes per job. */
const writes = 12
let nextGroup = 1

/** Draws in all jobs concurrently, then compares the stored annotations. */
export async function draw(worker: Worker, task: Task): Promise<void> {
  await Promise.all(task.jobs.map(({ id }) => drawIn(worker, task, id)))
  const [first] = task.jobs
  if (first) await replace(worker, first.id)
  await compare(worker, task)
}

async function drawIn({ caller, random, isOver }: Worker, task: Task, job: number): Promise<void> {
  const path = `/jobs/${job}/annotations/?action=`
  const own = new Map<number, number>() // groups and ids
  for (let nth = 0; nth < writes && !isOver(); nth++) {
    if (own.size < 3 || random.isTrue(0.6)) {
      const box = freeBox(task, job, random)
      if (!box) continue
      const group = nextGroup++
      task.boxes.set(group, box) // reserves the place; comparisons start only after the answer
      const shapes = [{ ...rectangle(task.label_id, box.frame, [...box.points]), group }]
      await caller.done('PATCH', `${path}create`, { json: { shapes } })
      own.set(group, await idOf(caller, job, group))
      continue
    }
    const [group, id] = random.pick([...own])
    const box = task.boxes.get(group)
    if (!box) continue
    if (random.isTrue(0.4)) {
      await caller.done('PATCH', `${path}delete`, { json: { shapes: [{ id }] } })
      own.delete(group)
      task.boxes.delete(group)
    } else {
      const [left = 0, top = 0] = box.points
      const points = [left, top, left + 8 + random.below(8), top + 8 + random.below(8)]
      await caller.done('PATCH', `${path}update`, { json: { shapes: [{ id, points }] } })
      task.boxes.set(group, { ...box, points })
    }
  }
}

/** Reads the id, because the answer to a call repeated after a crash may not contain it. */
async function idOf(caller: Caller, job: number, group: number): Promise<number> {
  const { shapes } = await caller.done('GET', `/jobs/${job}/annotations/`)
  const found = shapes.find((one: { group: number }) => one.group === group)
  if (!found) throw new Error('a shape that was acknowledged is lost')
  return found.id
}

/** Writes the same annotations again as one set. */
async function replace({ caller }: Worker, job: number): Promise<void> {
  const path = `/jobs/${job}/annotations/`
  const { shapes, tags, tracks } = await caller.done('GET', path)
  const json = { shapes: shapes.map(({ id, ...one }: { id: number }) => one), tags, tracks }
  await caller.done('PUT', path, { json })
}

/** Compares the stored annotations with those that users drew. */
export async function compare(
  { caller, ledger }: Pick<Worker, 'caller' | 'ledger'>,
  task: Task,
): Promise<void> {
  const found = await caller.done('GET', `/tasks/${task.id}/annotations/`)
  for (const one of differences(task.boxes.values(), boxesOf(found)))
    count(ledger.wrong, `annotations: ${one}`)
  const groups = found.shapes.map(({ group }: { group: number }) => group).sort()
  if (groups.join() !== [...task.boxes.keys()].sort().join())
    count(ledger.wrong, 'annotations: groups that are not those that were drawn')
}
