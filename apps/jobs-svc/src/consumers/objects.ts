import { type Handle, route } from '@reticle/kit/bus/bus'
import type { RequestsDb } from '../db/schema.ts'
import { deletions } from './deletions.ts'
import { moves } from './moves.ts'

/** What the group `reticle.jobs` does about what befalls projects, tasks, jobs and organizations. */
export const followObjects = (resultTtlHours: number): Handle<RequestsDb> =>
  route([...deletions(resultTtlHours), ...moves])
