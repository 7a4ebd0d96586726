import { rectangle } from '@reticle/tests/support/factories'
import { boxesOf, freeBox, listBoxDifferences } from './boxes.ts'
import type { DayCaller } from './day-caller.ts'
import { type DayTask, incrementCount } from './ledger.ts'
import type { Worker } from './worker.ts'

/** Number of annotation writes per job. */
const writes = 12
let nextGroup = 1

/** Draws in all jobs concurrently, then compares the stored annotations. */
export async function drawShapes(worker: Worker, task: DayTask): Promise<void> {
  await Promise.all(task.jobs.map(({ id }) => drawIn(worker, task, id)))
  const [first] = task.jobs
  if (first) await replace(worker, first.id)
  await compareAnnotations(worker, task)
}

async function drawIn(
  { caller, random, isOver }: Worker,
  task: DayTask,
  job: number,
): Promise<void> {
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
async function idOf(caller: DayCaller, job: number, group: number): Promise<number> {
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
export async function compareAnnotations(
  { caller, ledger }: Pick<Worker, 'caller' | 'ledger'>,
  task: DayTask,
): Promise<void> {
  const found = await caller.done('GET', `/tasks/${task.id}/annotations/`)
  for (const one of listBoxDifferences(task.boxes.values(), boxesOf(found)))
    incrementCount(ledger.wrong, `annotations: ${one}`)
  const groups = found.shapes.map(({ group }: { group: number }) => group).sort()
  if (groups.join() !== [...task.boxes.keys()].sort().join())
    incrementCount(ledger.wrong, 'annotations: groups differ from those drawn')
}
