/** Owner id of webhooks whose owner was deleted; no user has this id. */
export const deletedUserId = 0
