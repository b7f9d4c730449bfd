extern int web_assets_dummy;
