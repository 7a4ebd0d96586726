/** Owner of webhooks whose owner's account was deleted: no user has this id. */
export const nobody = 0
