import type { tasks } from '@reticle/contracts/api/tasks'
import { annotationsChanged } from '@reticle/contracts/events/annotations'
import { taskUpdated } from '@reticle/contracts/events/tasks'
import type { Service } from '@reticle/kit'
import { causeOf, type Handle, on, route } from '@reticle/kit/bus/bus'
import { retrySerialization } from '@reticle/kit/db/errors'
import { once } from '@reticle/kit/outbox/inbox'
import type { Kysely, Transaction } from 'kysely'
import type { ProjectsDb } from './db/schema.ts'
import {
  type AnnotationsChangedSettings,
  applyAnnotationsChange,
} from './jobs/annotations-changed.ts'
import { followChild } from './projects/repo.ts'

/** The name under which this service consumes events. */
export const group = 'reticle.projects'

/** What this service does about events: those of annotations-svc, and its own where a project only follows. */
export function eventHandler(settings: AnnotationsChangedSettings): Handle<ProjectsDb> {
  return route([
    on(annotationsChanged, (tx, change, event) =>
      applyAnnotationsChange(tx, change, settings, causeOf(event)),
    ),
    // Many changes of tasks move a project once, and no save waits for its row (`design.md` 8).
    on(taskUpdated, async (tx, { task }) => {
      if (task.project_id !== null) await followChild(tx, task.project_id, task.updated_date)
    }),
  ])
}

interface DoorDeps {
  db: Kysely<ProjectsDb>
  settings: AnnotationsChangedSettings
}

/**
 * The second door of `annotations.changed`: annotations-svc hands the event over before it answers a save, so that the next
 * look at the job shows it (`spec/api-annotations.md` 1.11). Whichever door is first leaves the event's mark for the other.
 */
export function annotationsChangedHandler({
  db,
  settings,
}: DoorDeps): Pick<Service<typeof tasks>, 'annotationsChanged'> {
  return {
    async annotationsChanged({ body: { event_id, change } }, context) {
      const apply = async (tx: Transaction<ProjectsDb>) => {
        const isFirst = await once(tx, group, event_id)
        if (isFirst) await applyAnnotationsChange(tx, change, settings, context)
      }
      await retrySerialization(() => db.transaction().execute(apply))
    },
  }
}
