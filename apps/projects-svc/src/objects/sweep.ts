import { type ObjectSweep, sweepObjects } from '@reticle/kit/objects/sweep'
import type { ProjectsDb } from '../db/schema.ts'
import { giveUp } from './repo.ts'

/**
 * Removes uploads that nothing came of, objects of deleted assets, and what crashes left (`reliability.md` 16.1).
 *
 * @returns false when another process is at it
 */
export function sweepAssets(deps: Omit<ObjectSweep<ProjectsDb>, 'schema'>): Promise<boolean> {
  return sweepObjects({ ...deps, schema: 'projects' }, (now) => giveUp(deps.db, now))
}
