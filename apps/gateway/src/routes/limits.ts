import {
  deepest as deepestFilter,
  mostItems as mostFilterItems,
  mostNodes as mostFilterNodes,
} from '@reticle/contracts/rest/json-logic'
import { longestSearch } from '@reticle/contracts/rest/lists'
import { defaultSize, rowsOfAll } from '@reticle/kit/list/page'
import {
  deepest as deepestBody,
  mostValues as mostBodyValues,
  mostKeys as mostObjectKeys,
} from '../bodies/json-body.ts'
import type { GatewaySettings } from '../config.ts'
import { mostHeaders } from '../plugins/headers.ts'
import { callsPerHour, pollsPerSecond } from '../plugins/rates/rate-limit.ts'
import { callsAtOnce } from '../plugins/rates/user-turns.ts'
import { mostFiles } from './data-upload.ts'

const secondMs = 1000

/**
 * Returns the limits that the gateway itself applies, by their names in `GET /server/limits`. A rate of 0 means that
 * the rate is not limited.
 */
export function listGatewayLimits(settings: GatewaySettings): Record<string, number> {
  return {
    body_bytes: settings.maxBodyBytes,
    annotation_body_bytes: settings.maxAnnotationsBodyBytes,
    multipart_bytes: settings.maxMultipartBytes,
    multipart_files: mostFiles,
    upload_bytes: settings.maxUploadBytes,
    body_levels: deepestBody,
    body_values: mostBodyValues,
    body_object_keys: mostObjectKeys,
    headers: mostHeaders,
    request_arrival_seconds: settings.requestTimeoutMs / secondMs,
    stream_silence_seconds: settings.idleTimeoutMs / secondMs,
    page_size_default: defaultSize,
    page_size: settings.pageSizeMax,
    page_size_all: rowsOfAll,
    search_characters: longestSearch,
    filter_levels: deepestFilter,
    filter_nodes: mostFilterNodes,
    filter_list_items: mostFilterItems,
    calls_at_once_per_user: callsAtOnce,
    rate_anonymous_per_minute: settings.rateAnonymous,
    rate_auth_per_minute: settings.rateAuth,
    rate_user_per_minute: settings.rateUser,
    rate_annotations_per_minute: settings.rateAnnotations,
    free_polls_per_second: pollsPerSecond,
    invitation_resends_per_hour: callsPerHour,
  }
}
