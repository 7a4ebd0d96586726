import { type ObjectSweep, sweepObjects } from '@reticle/kit/blob/objects/sweep'
import type { ProjectsDb } from '../../db/schema.ts'
import { markUnusedDead } from './repo-objects.ts'

/**
 * Deletes abandoned uploads, objects of deleted assets and remains of crashes.
 *
 * @returns false when another process is sweeping
 */
export function sweepAssets(deps: Omit<ObjectSweep<ProjectsDb>, 'schema'>): Promise<boolean> {
  return sweepObjects({ ...deps, schema: 'projects' }, (now) => markUnusedDead(deps.db, now))
}
