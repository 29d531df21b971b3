/* Style sheets are imported for their effect; the build puts each beside the scripts that import it. */
declare module "*.css";
