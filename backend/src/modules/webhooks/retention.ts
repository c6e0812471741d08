/** How long updates and their deliveries are kept. */
export const KEPT = `interval '24 hours'`;
/** Each part of the tables holds four hours (migration `create-subscriptions`, function `update_part`). */
export const PARTS = 8;
