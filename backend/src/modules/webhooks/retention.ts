/** How long updates and their deliveries are kept. */
export const KEPT = `interval '24 hours'`;
/** Each part of the tables holds four hours (migration `create-subscriptions`, function `update_part`). */
export const PARTS = 8;
/** Unix time in hours, as SQL. */
export const THIS_HOUR = `floor(extract(epoch FROM now()) / 3600)::int`;
/** So many hours, the present one among them, are counted as a day. */
export const HOURS_KEPT = 24;
