import { type Handle, routeEvents } from '@reticle/kit/bus/bus'
import type { RequestsDb } from '../db/schema.ts'
import { deletionRoutes } from './deletions.ts'
import { moveRoutes } from './moves.ts'

/** Handles the events about projects, tasks, jobs and organizations for the group `reticle.jobs`. */
export const followObjects = (resultTtlHours: number): Handle<RequestsDb> =>
  routeEvents([...deletionRoutes(resultTtlHours), ...moveRoutes])
